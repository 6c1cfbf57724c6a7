import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import write_csv
from seepage.audit.plan.plan import DataPlan, PartitionPlan, plan_text, read_plan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import ColumnLeftOut, Encoding, read_text, sampled
from seepage.data.text import HashedWords, laid_out, pushed_together
from seepage.data.text_pieces import WordPieces
from seepage.errors import BadPartition, BadPlan, BadTable, UnknownName
from seepage.layouts import Plain, TextShape
from small_audits import asked

TEXTS = ["The cat sat on the mat", "Dogs bark", "", "One two three four five six seven eight nine ten eleven", "Rain",
         "It rained, and rained!"]  # fmt: skip


def written(folder, texts=TEXTS, name="mail.csv", **others):
    path = folder / name
    columns = {"body": texts, "y": [place % 2 for place in range(len(texts))], **others}
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        write_csv(path, **columns)
    return path


def pieces_of(table, **partition):
    plan = PartitionPlan.model_validate({"kind": "halves", **partition})
    return prepare(table, plan, (), Encoding(scaling="minmax"), "stratified", 0).data


@given(
    st.lists(st.lists(st.integers(1, 99), max_size=30), min_size=1, max_size=5), st.integers(1, 24), st.integers(1, 4)
)
def test_every_party_gets_its_share_of_every_text(texts, piece, parties):
    length = piece * parties
    columns = laid_out(texts, length)
    for row, text in zip(columns, texts, strict=True):
        kept = text[:length]
        assert [word for word in row if word] == kept
        shares = [np.count_nonzero(part) for part in np.split(row, parties)]
        assert max(shares) - min(shares) <= 1
        assert [word for word in pushed_together(row[None])[0] if word] == kept


def test_two_parties_hold_the_first_and_the_second_half_of_a_text(tmp_path):
    data = pieces_of(read_text(written(tmp_path), "body", label="y", words=8))
    words = HashedWords().tokens(TEXTS[0])
    first, second = data.parts["active"], data.parts["passive"]
    assert first.features[0].tolist() == [*words[:3], 0]
    assert second.features[0].tolist() == [*words[3:], 0]
    assert first.features.dtype == np.float32
    assert first.layout == TextShape(4, 8192)
    assert second.limits.tolist() == [[0.0, 8191.0]] * 4


def test_texts_can_be_cut_into_more_pieces_and_uneven_ones(tmp_path):
    table = read_text(written(tmp_path), "body", label="y", words=8)
    three = pieces_of(table, kind="stripes", parties=4)
    assert [part.layout.length for part in three.parts.values()] == [2, 2, 2, 2]
    share = pieces_of(table, adversary_share=0.25)
    assert [part.layout.length for part in share.parts.values()] == [6, 2]
    server = pieces_of(table, labels_only=True, parties=3)
    assert server.parts["active"].layout == Plain() and server.parts["passive-1"].layout.length == 4


def test_words_dealt_at_random_stay_in_order(tmp_path):
    data = pieces_of(read_text(written(tmp_path), "body", label="y", words=11), kind="random")
    held = [part.features[3] for part in data.parts.values()]
    words = HashedWords().tokens(TEXTS[3])
    for row in held:
        places = [words.index(int(word)) for word in row if word]
        assert places == sorted(places)
    assert sorted(int(word) for row in held for word in row if word) == sorted(words)


def test_what_cannot_be_cut_is_refused(tmp_path):
    table = read_text(written(tmp_path), "body", label="y", words=3)
    with pytest.raises(BadPartition, match="3 words cannot be dealt to 4 parties"):
        pieces_of(table, parties=4)
    with pytest.raises(BadPartition, match="holds texts, whose words have no columns of their own"):
        pieces_of(table, kind="by-importance")


def test_other_columns_are_left_out_with_a_warning(tmp_path):
    path = written(tmp_path, number=list(range(6)), title=["a"] * 6)
    with pytest.warns(ColumnLeftOut, match=r"'title' is left out, because the text in 'body' is read by itself"):
        table = read_text(path, "body", label="y", id_column="number", words=4)
    assert table.ids[2] in {2, "2"}
    with pytest.raises(BadTable, match="'title' was left out, because a text is read by itself"):
        table["title"]


def test_texts_of_a_parquet_file_are_read_like_those_of_a_csv_file(tmp_path):
    one = read_text(written(tmp_path), "body", label="y")
    other = read_text(written(tmp_path, [text or None for text in TEXTS], name="mail.parquet"), "body", label="y")
    assert one.checksum == other.checksum
    assert one.checksum != read_text(written(tmp_path), "body", label="y", vocabulary=8191).checksum


@pytest.mark.parametrize(
    ("texts", "name", "column", "said"),
    [
        (["1", "2", "3", "4"], "mail.csv", "body", "column 'body' holds numbers, not texts"),
        ([1.0, 2.0, 3.0, 4.0], "n.parquet", "body", "column 'body' holds numbers, not texts"),
        (["", "...", "!", "?"], "mail.csv", "body", "no text in column 'body' has a word"),
        (TEXTS, "mail.csv", "text", "No column is called 'text'"),
        (TEXTS, "mail.csv", "y", "label and text must be different columns, got y, y"),
    ],
)
def test_columns_that_hold_no_texts_are_refused(tmp_path, texts, name, column, said):
    with pytest.raises(UnknownName if column == "text" else BadTable, match=said):
        read_text(written(tmp_path, texts, name), column, label="y")


def test_a_sample_of_texts_is_still_one(tmp_path):
    table = read_text(written(tmp_path), "body", label="y", words=8)
    assert sampled(table, 4).layout == table.layout


def test_words_are_cut_into_the_longest_known_pieces(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\nun\n##aff\n##able\n##a\n,\ncafe\n")
    pieces = WordPieces.read(path)
    assert pieces.tokens("Unaffable, CAFÉ!") == [2, 3, 4, 6, 7, 1]
    assert pieces.vocabulary == 8
    cased = WordPieces({"[PAD]": 0, "[UNK]": 1, "Un": 2, "un": 3, "##a": 4})
    assert cased.tokens("Una una") == [2, 4, 3, 4]
    assert pieces.tokens("un" + "a" * 200) == [1]
    assert pieces.tokens("un\x00 un\u200d\ufffd") == [2, 2]


def test_a_file_that_is_no_vocabulary_is_refused(tmp_path):
    (tmp_path / "vocab.txt").write_text("the\nof\n")
    with pytest.raises(BadTable, match=r"does not begin with \[PAD\]"):
        WordPieces.read(tmp_path / "vocab.txt")
    with pytest.raises(BadTable, match="cannot be read"):
        WordPieces.read(tmp_path / "none.txt")


def test_a_plan_names_the_column_and_the_vocabulary(tmp_path):
    written(tmp_path)
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\nthe\ncat\n")
    (tmp_path / "plan.toml").write_text(
        '[data]\nfile = "mail.csv"\nlabel = "y"\ntext = "body"\nwords = 4\nvocabulary = "vocab.txt"\n'
        '[[federations]]\nname = "split-network"\n[[attacks]]\nname = "gradient-norm"\n'
    )
    plan = read_plan(tmp_path / "plan.toml")
    assert plan.partition.kind == "halves"
    table = load_table(plan.data)
    assert table.layout.vocabulary == 4
    assert [int(column.values[0]) for column in table.columns] == [2, 3, 1, 1]
    (tmp_path / "again.toml").write_text(plan_text(plan))
    assert load_table(read_plan(tmp_path / "again.toml").data).checksum == table.checksum


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"name": "iris", "text": "body"}, "the data come from the catalog"),
        ({"file": "a.csv", "label": "y", "words": 4}, "name its column"),
        ({"file": "a.csv", "label": "y", "text": "body", "words": 0}, "words must be 1 or more, got 0"),
        ({"file": "a.csv", "label": "y", "text": "body", "vocabulary": 1}, "vocabulary must lie between 2 and"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_refused(data, complaint):
    with pytest.raises(BadPlan, match=complaint):
        asked(data)


def test_by_default_sixty_four_words_are_read(tmp_path):
    assert load_table(DataPlan(file=str(written(tmp_path)), label="y", text="body")).layout.length == 64
