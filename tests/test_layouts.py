import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seepage.layouts import ImageShape, Plain, TextShape, layout_from_json, layout_to_json

SIZES = st.integers(1, 5)
LAYOUTS = (
    st.just(Plain()) | st.builds(ImageShape, SIZES, SIZES, SIZES) | st.builds(TextShape, SIZES, st.integers(2, 99))
)


@given(layout=LAYOUTS)
def test_a_layout_comes_back_from_a_stored_run(layout):
    assert layout_from_json(layout_to_json(layout)) == layout


def test_runs_that_were_stored_before_texts_were_read():
    assert layout_from_json({"image": None}) == Plain()
    assert layout_from_json({"image": {"channels": 1, "height": 8, "width": 4}}) == ImageShape(1, 8, 4)


@given(layout=LAYOUTS, columns=st.integers(1, 40))
def test_slices_hold_every_column_once(layout, columns):
    if layout.misfit(columns) is None:
        assert sorted(layout.slices(columns).ravel()) == list(range(columns))


@given(shape=st.builds(ImageShape, SIZES, SIZES, st.integers(2, 5)))
def test_the_left_of_a_picture_is_a_picture_and_the_left_of_a_text_a_text(shape):
    left = np.sort(shape.slices(shape.pixels)[:-1].ravel())
    narrower = ImageShape(shape.channels, shape.height, shape.width - 1)
    assert shape.among(left) == (narrower if len(left) > 1 else Plain())
    assert TextShape(9, 50).among(np.arange(4)) == TextShape(4, 50)
    assert TextShape(9, 50).among(np.arange(0)) == Plain()
