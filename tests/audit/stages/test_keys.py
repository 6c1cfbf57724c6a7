"""A result has another name whenever something changes that it was made of, and only then."""

import pytest

from seepage.audit.stages.fingerprints import Sources
from seepage.audit.stages.keys import Keys

ROUNDING = {"name": "rounding"}
TWO = [{"name": "gradient-sign"}, {"name": "linear-probe"}]


@pytest.fixture
def changed(sources):
    """Pretend that somebody has changed one module of ours."""

    def change(module):
        name = f"seepage.{module}"
        assert name in sources.reached(name)
        files = {**sources._files, name: ("another digest", sources._files[name][1])}
        return Keys("checksum", Sources(files))

    return change


def findings(named):
    return [one.finding for job in named for release in job.releases for one in release.attempts]


def worths(named):
    return [release.worth for job in named for release in job.releases]


@pytest.mark.parametrize(
    "changes",
    [
        {"data": {"name": "wine"}},
        {"data": {"name": "iris", "rows": 100}},
        {"seeds": [1]},
        {"encoding": "ordinal"},
        {"scaling": "minmax"},
        {"partition": {"adversary_share": 0.25}},
        {"federations": [{"name": "logistic-regression", "settings": {"epochs": 3}}]},
        {"threads": 2},
        {"model": False},
    ],
)
def test_whatever_a_training_or_a_release_is_made_of_changes_all_names(named, changes):
    assert not set(worths(named())) & set(worths(named(**changes)))
    assert not set(findings(named())) & set(findings(named(**changes)))


def test_other_contents_of_a_table_change_all_names(named):
    assert not set(named()[0].all) & set(named("another checksum")[0].all)


def test_settings_of_an_attack_change_its_own_name_alone(named):
    other = named(attacks=[{"name": "gradient-sign", "settings": {"combine": "sum"}}])
    assert worths(other) == worths(named()) and findings(other) != findings(named())


def test_who_attacks_changes_nothing_that_was_trained_or_found_before(named):
    alone, both = named(), named(attacks=TWO)
    assert worths(alone) == worths(both)
    assert set(findings(alone)) < set(findings(both))


def test_a_defense_that_acts_after_training_leaves_the_rest_alone(named):
    assert set(named()[0].all) < set(named(defenses=[ROUNDING])[0].all)


@pytest.mark.parametrize(
    "explicit",
    [
        {"attacks": [{"name": "gradient-sign", "settings": {"combine": "first"}}]},
        {"federations": [{"name": "logistic-regression", "settings": {"epochs": 2, "l2": 1.0}}]},
        {"defenses": [{"name": "rounding", "settings": {"digits": 2}}]},
        {"attacks": [{"name": "gradient-sign", "defended": False, "unless": ["union"]}]},
        {"timeout": 60.0},
        {"isolation": {"seconds": 5.0}},
    ],
)
def test_naming_a_default_or_how_the_work_is_done_changes_nothing(named, explicit):
    usual = {"defenses": [ROUNDING]} if "defenses" in explicit else {}
    assert [job.job for job in named(**explicit)] == [job.job for job in named(**usual)]


def test_it_does_not_matter_where_a_table_lies(named, tmp_path, monkeypatch):
    text = "age,visits,y\n" + "".join(f"{row % 7},{row % 5},{row % 2}\n" for row in range(60))
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "people.csv").write_text(text)
    monkeypatch.chdir(tmp_path / "here")
    places = ("people.csv", str(tmp_path / "here" / "people.csv"), str(tmp_path / "there" / "people.csv"))
    assert len({named(data={"file": place, "label": "y"})[0].job for place in places}) == 1


@pytest.mark.parametrize(
    ("module", "training", "finding"),
    [
        ("federations.logistic_regression", True, True),
        ("federations.forest", False, False),
        ("audit.stages.preparation", True, True),
        ("audit.stages.alignment", True, True),
        ("randomness", True, True),
        ("attacks.labels.gradient_sign", False, True),
        ("attacks.labels.model_completion", False, False),
        ("audit.scoring.scoring", False, True),
        ("audit.stages.applicability", True, True),
        ("audit.stages.trained", False, True),
        ("scores.label_guesses", False, True),
        ("report.page", False, False),
        ("cli.app", False, False),
        ("audit.sweep", False, False),
    ],
)
def test_changed_code_changes_the_names_of_what_it_makes(jobs_of, sources, changed, module, training, finding):
    (job,) = jobs_of()

    def names(keys):
        return keys.training(job.training), keys.of(job).releases[0].attempts[0].finding

    kept, now = names(Keys("checksum", sources)), names(changed(module))
    assert (kept[0] != now[0], kept[1] != now[1]) == (training, finding)


def test_changed_code_of_a_defense_and_of_what_it_mimics_changes_what_it_releases(jobs_of, sources, changed):
    (job,) = jobs_of(defenses=[{"name": "output-verification"}, ROUNDING])
    before = [release.worth for release in Keys("checksum", sources).of(job).releases]
    after = [release.worth for release in changed("attacks.features.equality_solving").of(job).releases]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, True]


def test_what_speaks_for_an_attack_depends_on_the_most_that_a_rival_knows(named):
    def spoken(*attacks):
        (job,) = named(federations=[{"name": "summed-network"}], attacks=list(attacks))
        return job.releases[0].attempts[0].evidence

    sign, probe = TWO
    few, many = ({**probe, "settings": {"labels_per_class": count}} for count in (2, 8))
    assert spoken(sign) is None, "who has one attack has no choice"
    assert spoken(sign, many) == spoken(sign, few, many) != spoken(sign, few)
    assert spoken(sign, {"name": "leaf-labels", "settings": {"labels_per_class": 8}}) is None, "it cannot be run there"
