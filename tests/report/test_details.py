"""The parts of the page below its first screen, and what stands on the first."""

from dataclasses import fields

from imagined_findings import finding
from made_up_audit import CROSSED, large_audit, large_page
from report_words import plain_words, words_of
from seepage.audit.findings.notes import Notes
from seepage.audit.findings.survey import Survey
from seepage.defenses.catalog import DEFENSES
from seepage.messages import Kind
from seepage.report import render
from seepage.report.first_words import first_words
from seepage.report.parts.audited import audited
from seepage.report.parts.crossings import KINDS, crossings
from seepage.report.parts.federations import federations
from seepage.report.parts.first_screen import first_screen
from seepage.report.parts.glossary import SETTINGS, glossary
from seepage.report.parts.matrix_table import matrix
from seepage.report.parts.preflight import SHOWN, preflight
from seepage.report.parts.rerun import rerun
from seepage.report.parts.trade_offs import OPEN, trade_offs


def test_the_first_screen_says_what_was_audited_and_what_the_terminal_says():
    survey = large_audit()
    screen, said = first_screen(survey), first_words(survey)
    facts = {fact.name: fact.texts[0] for fact in screen.audited}
    assert facts["Data"] == "customers, a sample of 5,000 of 30,000 rows" and facts["Depth"] == "standard"
    assert facts["Parties"] == "bank (holds the labels, 8 columns), shop (6 columns) and gym (2 columns)"
    assert "3 seeds" in facts["Tried"] and "boosting" in facts["Federations"]
    assert [answer for _, answer in screen.answers] == [said.theirs, said.ours, said.advice]
    assert screen.answers[0][0] == "What partners can learn about us (bank)"
    words = plain_words(large_page())
    assert all(sentence in words for sentence in said.sentences)
    assert words.index(said.advice) < words.index("Who can learn what")


def test_names_and_settings_of_the_answers_are_explained_below_them():
    settings = {"theta_u": 0.5, "tau": 0.0001}
    cheap = finding(defense="privacy-preserving-dl", defense_settings=settings, value=0.63, utility=0.985)
    screen = first_screen(Survey([finding(), cheap]))
    words = {entry.name: dict(entry.settings) for entry in screen.words}
    assert words.keys() == {"summed-network", "gradient-sign", "privacy-preserving-dl"}
    assert words["privacy-preserving-dl"]["theta_u"] == "θ_u, the share of gradient values that is sent"
    assert "epsilon" not in words["privacy-preserving-dl"]


def test_one_seed_and_a_sample_are_marked_beside_the_numbers():
    words = words_of([finding(audited_rows=400, all_rows=9000)])
    assert words.count("1 seed") >= 3 and words.count("a sample of 400 of 9,000 rows") >= 3
    (row,) = matrix(Survey([finding(audited_rows=400, all_rows=9000)])).rows
    assert row.cells[0].marks == ("1 seed", "sample", "few rows")


def test_what_looked_wrong_stands_between_the_answers_and_the_numbers():
    notes = Notes(tuple(f"Column {number} speaks <b>loudly</b>." for number in range(5)))
    survey = Survey([finding()], notes=notes)
    told = preflight(survey)
    assert told.first + told.others == notes.remarks and len(told.first) == SHOWN
    page = render(survey)
    words = plain_words(page)
    assert words.index("How sure:") < words.index("Column 0 speaks <b>loudly</b>.") < words.index("Who can learn what")
    assert "<b>loudly" not in page and preflight(Survey([finding()])) is None


def test_a_federation_that_gains_nothing_says_so_in_its_details_and_one_that_learned_nothing_at_the_top():
    needless = Survey([finding(utility=0.99, utility_undefended=0.99, utility_alone=0.99)])
    assert preflight(needless) is None
    assert "summed-network gains nothing" in federations(needless)[0].purpose[0]
    useless = Survey(
        [finding(utility=0.5, utility_undefended=0.5, utility_alone=0.5)], notes=Notes(constant={"auc": 0.5})
    )
    assert "summed-network learned nothing" in preflight(useless).first[0]


def test_a_cell_has_advantage_interval_and_attack_or_says_why_there_is_none():
    idle = finding(federation="forest", value=None, status="not applicable", reason="No gradients cross.")
    values = [finding(seed=seed, value=value) for seed, value in enumerate((0.9, 0.95, 1.0))]
    (row,) = matrix(Survey([*values, idle])).rows
    number, grey = row.cells
    assert (number.advantage, number.attack, number.reason) == ("0.866", "gradient-sign", "")
    assert number.interval.startswith("[0.5") and row.idle == ""
    assert (grey.federation, grey.advantage, grey.reason) == ("forest", "", "No gradients cross.")


def test_what_nobody_tried_has_no_row_but_a_sentence():
    drawn = matrix(large_audit())
    assert {(row.adversary, row.learned) for row in drawn.rows} >= {("shop", "Labels"), ("bank", "Features")}
    assert ("shop", "Features") not in {(row.adversary, row.learned) for row in drawn.rows}
    untried = " ".join(drawn.untried)
    assert "Nothing was tried: " in untried and "features by shop" in untried
    assert "bank holds the labels itself: labels by bank." in untried


def test_assets_come_before_properties_and_most_properties_are_folded():
    drawn = trade_offs(large_audit())
    assert [one.title for one in drawn.first] == ["Labels", "Features", "Share of basket 1=5"]
    assert len(drawn.first) == OPEN and len(drawn.others) == 5
    assert drawn.first[0].home.chart.alone is not None
    assert drawn.first[0].places == "11 more federations and adversaries"


def test_what_crossed_is_told_of_an_undefended_run():
    defended = finding(defense="top-k", crossed=[{**CROSSED[0], "bytes": 1}])
    bare = finding(crossed=CROSSED, model_settings={"encryption": "none"})
    (crossed,) = crossings(Survey([defended, bare]))
    assert crossed.summary == (
        "summed-network: 380.0 kB in the clear (embedding and gradient) and 3.0 MB sealed (encrypted, as numbers that "
        "stand in for ciphertexts)."
    )
    assert crossed.lines.rows[2] == (
        "bank → gym", f"encrypted\n{KINDS['encrypted']}", "sealed\nnumbers stood in for ciphertexts", "5", "3.0 MB",
    )  # fmt: skip
    assert crossings(Survey([finding()])) == [] and "What crossed" not in words_of([finding()])


def test_real_ciphertexts_are_not_said_to_be_numbers():
    (crossed,) = crossings(Survey([finding(crossed=CROSSED, model_settings={"encryption": "ou"})]))
    assert "stand in" not in crossed.summary and crossed.lines.rows[2][2] == "sealed"


def test_every_kind_of_message_is_explained():
    assert KINDS.keys() == {kind.value for kind in Kind}


def test_a_federation_keeps_what_was_assumed_measured_and_bounded_apart():
    details = {one.name: one for one in federations(large_audit())}
    split = details["split-network"]
    assert [fact.name for fact in split.assumed] == ["shop", "shop and gym together", "bank"]
    assert split.assumed[0].texts == (
        "received gradient 190.0 kB", "knew 6 columns of its own, 8 labels, the model, where it is released to it",
    )  # fmt: skip
    assert split.measured is not None and split.bottoms and not split.bounded
    assert split.summary.endswith("3 runs failed") and split.failed and not split.not_applicable
    assert details["forest"].not_applicable and not details["forest"].failed
    assert split.marks == ("a sample of 5,000 of 30,000 rows",)


def test_every_setting_of_every_defense_of_ours_is_explained():
    assert {name: SETTINGS[name] for name in DEFENSES.own} == SETTINGS
    for name, held in SETTINGS.items():
        assert held.keys() == {one.name for one in fields(DEFENSES[name])}, name


def test_the_glossary_has_what_the_page_names_with_author_and_year():
    found = [finding(), finding(defense="privacy-preserving-dl", attack="my-own", value=0.7)]
    told = glossary(Survey(found))
    assert [entry.name for entry in told.attacks] == ["gradient-sign", "my-own"]
    assert told.attacks[0].summary.endswith("attack of Fu et al. 2022.") and told.attacks[0].authors == ""
    assert told.attacks[1].summary == "From outside this package."
    assert ("theta_u", "θ_u, the share of gradient values that is sent") in told.defenses[0].settings
    assert [entry.name for entry in told.federations] == ["summed-network"]
    words = words_of(found)
    assert (
        "paper 00" not in words
        and "(Shokri and Shmatikov 2015; Fu et al. 2022)" in words
        and "@inproceedings{fu2022," in words
        and "theta_u : θ_u, the share" in words
    )


def test_the_plan_and_the_papers_are_there_to_run_and_to_cite():
    told = rerun(Survey([finding(defense="top-k")], "seeds = 3"))
    assert told.plan_text == "seeds = 3" and [paper.key for paper in told.papers] == ["fu2022"]
    assert rerun(Survey([])) is None


def test_older_findings_without_rows_or_a_plan_are_told_without_them():
    facts = {fact.name: fact.texts[0] for fact in audited(Survey([finding()], "not [ toml"))}
    assert facts["Data"] == "breast_cancer" and "Depth" not in facts


def test_a_large_audit_makes_a_small_page():
    assert len(large_page().encode()) < 1_500_000
