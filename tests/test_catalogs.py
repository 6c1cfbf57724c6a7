"""Everything that can be named can be built, shown, sent to a worker and repeated."""

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from samples import small_data, two_classes
from seepage.attacks import ATTACKS, Attack
from seepage.attacks.steps.norms.distribution_comparison import Comparison
from seepage.attacks.steps.tampering.acceleration import Acceleration
from seepage.catalogs import Catalog, Entry
from seepage.data import DATASETS
from seepage.defenses import DEFENSES
from seepage.errors import UnknownName
from seepage.federations import FEDERATIONS
from seepage.federations.bottom_settings import BottomSettings
from seepage.federations.training_settings import TrainingSettings
from seepage.federations.trees.settings import GrowthSettings, SealingSettings
from seepage.hooks import Defense, Hook
from seepage.learners.completion.mixmatch import MixMatch
from seepage.learners.small_network import SmallNetwork
from seepage.networks.backbones import BACKBONES
from seepage.networks.optimizers import OptimizerSettings
from seepage.papers.catalog import TABLES
from seepage.settings import keys
from seepage.views import Auxiliary

BUILT = [(catalog, name) for catalog in (ATTACKS, DEFENSES, FEDERATIONS) for name in catalog.own]
LISTED = [*BUILT, *((BACKBONES, name) for name in BACKBONES.own)]


@pytest.mark.parametrize(("catalog", "name"), BUILT, ids=[name for _, name in BUILT])
def test_everything_builds_from_its_defaults_and_survives_repr_and_pickling(catalog, name):
    made = catalog[name]
    thing = made()
    assert is_dataclass(made) and made.__dataclass_params__.frozen
    assert pickle.loads(pickle.dumps(thing)) == thing
    settings = (BottomSettings, GrowthSettings, OptimizerSettings, SealingSettings, TrainingSettings)
    nested = (Acceleration, Auxiliary, Comparison, MixMatch, SmallNetwork, *settings)
    assert eval(repr(thing), {one.__name__: one for one in (made, *nested)}) == thing


@pytest.mark.parametrize(("catalog", "name"), LISTED, ids=[name for _, name in LISTED])
def test_the_line_in_the_list_is_the_first_line_of_the_docstring(catalog, name):
    documented = (catalog[name].__doc__ or "").strip().splitlines()[0]
    listed = catalog.own[name].summary
    assert listed == documented


@pytest.mark.parametrize(("catalog", "name"), BUILT, ids=[name for _, name in BUILT])
def test_every_setting_is_explained(catalog, name):
    made = catalog[name]
    explained = made.__doc__ + "".join(type(getattr(made(), field.name)).__doc__ or "" for field in fields(made))
    for key in keys(made):
        assert key in explained, f"{name} does not say what {key} is"


def test_names_in_the_catalog_are_the_names_the_classes_bear():
    for catalog in (ATTACKS, FEDERATIONS, BACKBONES):
        assert all(catalog[name].name == name for name in catalog.own)


def test_attacks_and_defenses_fit_their_seams():
    for name in ATTACKS.own:
        attack: Attack = ATTACKS[name]()
        assert attack.steals in {"labels", "features", "properties"} and attack.role in {"attack", "baseline"}
        assert attack.needs.lines()
    part = two_classes(small_data("iris")).parts["active"]
    for name in DEFENSES.own:
        defense: Defense = DEFENSES[name]()
        assert defense.acts_on
        assert isinstance(defense.start(part, np.random.default_rng(0)), Hook)


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'gradient-sign'"):
        ATTACKS["gradient-sing"]


def test_a_name_of_ours_cannot_be_taken_over_from_outside():
    catalog: Catalog[object] = Catalog("thing", "console_scripts", {"pip": Entry("seepage.errors:BadPlan", "Ours.")})
    assert not catalog.entries["pip"].outside
    assert any(entry.outside for entry in catalog.entries.values())


def test_listing_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys; from seepage.cli.listing import _catalogs; "
        "assert all(entry.summary for c in _catalogs().values() for entry in c.entries.values()); "
        "print(sorted({'torch', 'sklearn', 'pyarrow', 'scipy', 'numba', 'heu'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_table_and_data_set_has_a_line():
    for catalog in (TABLES, DATASETS):
        assert all(entry.summary for entry in catalog.entries.values())
