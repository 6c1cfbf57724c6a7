import base64
import hashlib
import re
import stat
from functools import partial
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from imagined_findings import finding
from made_up_audit import large_page
from seepage.audit.findings.finding import write_findings
from seepage.audit.findings.survey import Survey
from seepage.errors import BadOutput
from seepage.report import render, write_report

HOSTILE = "<script>alert('x')</script>\"'&{{ 7 * 7 }}</script><img src=x onerror=alert(1)>"


class Page(HTMLParser):
    """Collects elements, the text of table rows, and script blocks."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.rows, self.scripts, self.text, self.kind, self.in_cell = [], [], [], [], "", False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.kind = tag
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self.in_cell = True
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag):
        self.kind = ""
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.kind == "script":
            attrs, text = self.scripts[-1]
            self.scripts[-1] = (attrs, text + data)
            return
        if self.kind != "style":
            self.text.append(data)
            if self.in_cell:
                self.rows[-1][-1] += f" {data.strip()}"

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


def page_of(findings, plan_text=None):
    return Page(render(Survey(findings, plan_text)))


def lines_of(page):
    """Return the rows of both tables of leaks, each with the federation it stands under in front."""
    found, place = [], ""
    for row in page.rows:
        if len(row) == 1:
            place = " ".join(row[0].split())
        elif len(row) in {8, 9} and row[0].strip() != "Defense":
            found.append([place, *(" ".join(cell.split()) for cell in row)])
    return found


def test_every_line_that_was_run_stands_once_under_its_federation_with_its_numbers(audit):
    rows = [" ".join(row) for row in lines_of(page_of(audit))]
    lines = [(scene, line) for scene in Survey(audit).scenes for line in scene.lines if line.status == "ok"]
    assert len(lines) == len(rows) == 36
    for scene, line in lines:
        advantage = scene.quoted(line)  # that of the strongest knows of the choice
        numbers = f"{line.value:.3f}", f"{line.blind:.3f}", f"{advantage.mean:.3f}", f"{line.utility:.3f}"
        interval = f"[{advantage.low:.3f}, {advantage.high:.3f}]"
        names = line.first.attack, line.first.defense or "none", line.first.blind_kind
        (match,) = [row for row in rows if all(part in row for part in (*numbers, interval, *names))]
        assert match.startswith(f"Labels on {line.first.federation}, by lab ")
        assert match.endswith(" 3")


def test_the_first_table_has_the_strongest_attack_under_each_defense_and_the_second_all_others(audit):
    html = render(Survey(audit))
    others = [part for part in html.split("<details") if "<summary>All other guesses" in part]
    hidden = [row for part in others for row in lines_of(Page(part))]
    assert len(others) == 2 and len(hidden) == 18
    shown = [row for row in lines_of(Page(html)) if row[1:] not in [one[1:] for one in hidden]]
    assert len(shown) == 11 + 7
    summed, logistic = "Labels on summed-network, by lab", "Labels on logistic-regression, by lab"
    assert [row[0] for row in shown] == [summed] * 11 + [logistic] * 7
    assert shown[0][1] == "none"


def test_undefended_lines_have_no_cost_and_defended_ones_do(audit):
    assert all(("cost" in row[7]) == (row[1] != "none") for row in lines_of(page_of(audit)))


def test_attacks_that_could_not_be_run_are_listed_once_with_their_reason(audit):
    (row,) = [row for row in page_of(audit).rows if len(row) == 6 and "not of the logits" in row[-1]]
    defenses = "none, laplace-noise, top-k, privacy-preserving-dl, discrete-gradients"
    assert [cell.strip() for cell in row[1:5]] == ["split-network", "lab", defenses, "33"]


def test_failed_runs_stand_before_the_table_with_their_reason():
    failed = finding(seed=1, value=None, status="failed", reason="The run ran out of memory.")
    words = page_of([finding(), failed]).words
    assert words.index("The run ran out of memory.") < words.index("Who can learn what")
    assert "leaks may be larger than shown" in words
    assert "1 of 2" in words


def test_hostile_names_are_shown_as_text():
    words = ("data", "attack", "federation", "defense", "metric", "asset", "blind_kind", "ceiling_kind",
             "utility_metric", "rows", "encoding", "scaling", "split")  # fmt: skip
    tables = ("defense_settings", "attack_settings", "model_settings", "knowledge", "bounds", "versions")
    named = dict.fromkeys(words, HOSTILE) | {key: {HOSTILE: HOSTILE} for key in tables}
    spoken = finding(**named, adversary=(HOSTILE,), partition={HOSTILE: [HOSTILE]})
    idle = finding(value=None, status="not applicable", reason=HOSTILE)
    failed = finding(value=None, status="failed", reason=HOSTILE, attack=HOSTILE)
    page = page_of([spoken, idle, failed], plan_text=HOSTILE)
    assert "img" not in {tag for tag, _ in page.elements}
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert page.scripts == []
    assert page.words.count("<script>alert('x')</script>") > 10
    assert "49" not in [word.strip("\"'&") for word in page.words.split()]


def test_the_page_loads_nothing(audit):
    html = render(Survey(audit, "seeds = 3"))
    page = Page(html)
    assert not [attrs for _, attrs in page.elements if attrs.keys() & {"src", "srcset", "action", "data", "style"}]
    assert all(attrs["href"].startswith("#") for _, attrs in page.elements if "href" in attrs)
    assert "link" not in {tag for tag, _ in page.elements}
    assert not re.search(r"@import|url\(", re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1])
    (policy,) = [attrs["content"] for _, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy"]
    digest = base64.b64encode(hashlib.sha256(re.search(r"<style>(.*?)</style>", html, re.DOTALL)[1].encode()).digest())
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest.decode()}'; base-uri 'none'; form-action 'none'"
    ), "no script at all, and no style but ours"


def test_tables_have_captions_and_headers_and_charts_have_words(audit):
    page = page_of(audit)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("caption") == tags.count("table") > 5
    assert all("scope" in attrs for tag, attrs in page.elements if tag == "th")
    drawn = [attrs for _, attrs in page.elements if attrs.get("role") == "img"]
    ids = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    assert len(drawn) == 2 and all(set(attrs["aria-labelledby"].split()) <= ids for attrs in drawn)
    assert "11 points: no defense: advantage 1.000" in page.words


def test_headings_come_in_order_and_no_id_twice():
    page = Page(large_page())
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1 and all(after <= before + 1 for before, after in pairwise(levels))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    skips = [attrs["href"][1:] for tag, attrs in page.elements if tag == "a"]
    assert skips == ["main"] and "main" in ids


def test_an_advantage_that_is_not_defined_is_a_dash_with_its_reason():
    (row,) = [row for row in page_of([finding(blind=0.995)]).rows if "0.995" in "".join(row)]
    assert " ".join(row[5].split()) == "– blind and ceiling are too close"


def test_a_guess_without_known_truth_is_listed_without_a_score():
    page = page_of([finding(value=None, blind=None, ceiling=None)])
    (row,) = [row for row in lines_of(page) if "truth not known" in row[3]]
    assert row[3].split()[0] == "–"
    assert "chart" not in {attrs.get("class") for _, attrs in page.elements}


def test_an_audit_without_findings_says_so():
    words = page_of([]).words
    assert "There are no findings in this audit" in words


def test_columns_are_counted_and_named_but_no_list_of_knowledge_is_printed():
    page = page_of([finding(knowledge={"known_rows": [31337, 31338], "known_labels": 2})])
    assert [" ".join(cell.split()) for cell in _row(page, "hospital")[:2]] == ["hospital holds the labels", "5"]
    assert "mean radius, mean texture" in page.words
    assert "known rows=2 entries" in page.words
    assert "31337" not in page.words


def _row(page, start):
    return next(row for row in page.rows if row and row[0].strip().startswith(start))


def test_a_partition_may_say_how_it_was_dealt_and_who_is_active():
    partition = {"kind": "random", "active": "lab", "columns": {"hospital": ["a", "b"], "lab": []}}
    page = page_of([finding(partition=partition)])
    assert [cell.strip() for cell in _row(page, "hospital")] == ["hospital", "2", "a, b"]
    assert [" ".join(cell.split()) for cell in _row(page, "lab holds")] == ["lab holds the labels", "0", "–"]
    assert "Who held which columns of breast_cancer. Dealt: random." in page.words


def test_a_partition_that_changes_with_the_seed_is_said_to():
    words = page_of([finding(), finding(seed=1, partition={"hospital": ["a"], "lab": ["b"]})]).words
    assert "Columns were dealt anew between runs; shown is seed 0." in words


def test_circumstances_are_told(audit):
    words = page_of(audit).words
    for text in (
        "summed-network: epochs=30, hidden=[16, 8], learning_rate=0.05",
        "linear-probe: layer=last, strength=1",
        "knew 6 columns of its own, 40 labels",
        "0, 1, 2",
        "seepage 0.1.0, python 3.11.9",
        "197.4 s in all, 1.4 s at most for one of 141 runs",
        "310 MB",
        "An audit finds leaks; it does not prove their absence.",
    ):
        assert text in words


def test_lines_that_differ_in_a_setting_only_show_it():
    page = page_of([finding(model_settings={"epochs": epochs, "hidden": [8]}) for epochs in (5, 9)])
    assert [row[0] for row in lines_of(page)] == [
        "Labels on summed-network, by lab epochs=5", "Labels on summed-network, by lab epochs=9",
    ]  # fmt: skip


def test_bounds_are_shown_beside_what_was_measured():
    assert "equality_solving_threshold=4" in page_of([finding(bounds={"equality_solving_threshold": 4})]).words


def test_a_report_is_written_for_its_owner_only(tmp_path, audit):
    write_findings(tmp_path, audit)
    (tmp_path / "plan.toml").write_text('name = "the plan & more"\n', encoding="utf-8")
    path = write_report(tmp_path)
    assert path == tmp_path / "report.html"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert 'name = "the plan & more"' in Page(path.read_text(encoding="utf-8")).words


def test_a_folder_without_findings_is_refused(tmp_path):
    with pytest.raises(BadOutput, match="holds no findings"):
        write_report(tmp_path)


def test_the_same_findings_give_the_same_page(audit):
    assert render(Survey(audit)) == render(Survey(audit))


grouped = partial(
    finding, federation="forest", attack="id2graph", metric="v_measure", value=0.8, blind=0.5,
    blind_kind="k-means on own columns", traffic={"encrypted": 400, "split-sums": 600},
    bounds={"mutual_information": {"max": 0.6, "median": 0.2, "nodes": 9, "per_node": [[0, 31337, 0.6]]}},
)  # fmt: skip
"""A finding about trees."""


def test_grouped_rows_are_told_as_groups_and_the_metric_is_explained():
    words = page_of([grouped()]).words
    assert "lab can largely tell which rows share labels (V-measure 0.800, blind guess 0.500; advantage 0.600)" in words
    assert "V-measure How well the guessed groups match the labels, 0 to 1." in words
    assert "named rightly" not in words


def test_bounds_on_nodes_are_a_table_that_says_how_far_they_reach():
    limited = {"mutual_information": {"max": 0.1, "median": 0.05, "nodes": 3, "per_node": []}}
    defended = grouped(bounds=limited, value=0.6, defense="purity-limit", defense_settings={"limit": 0.1})
    page = page_of([grouped(), grouped(attack="union"), defended])
    rows = [[cell.strip() for cell in row] for row in page.rows if any("nats" in cell for cell in row)]
    assert rows == [
        ["forest", "lab", "none", "9", "0.200 nats", "0.600 nats"],
        ["forest", "lab", "purity-limit (limit=0.1)", "3", "0.050 nats", "0.100 nats"],
    ]
    assert "several nodes together can give more" in page.words
    assert "31337" not in page.words


def test_ciphertexts_are_counted_relative_to_the_undefended_run():
    page = page_of([grouped(), grouped(traffic={"split-sums": 1500}, value=0.6, defense="label-dp")])
    assert [row[9] for row in lines_of(page)] == ["1,000", "1,500 × 1.50"]
    assert "Ciphertexts" not in page_of([finding()]).words


def test_a_baseline_is_marked_and_stands_apart_unless_it_is_the_strongest():
    weak = grouped(attack="local-clustering", value=0.5, role="baseline")
    strong = grouped(attack="union-clustering", value=0.9, role="baseline")
    first, rest = render(Survey([grouped(), weak])).split("<summary>All other guesses")
    assert [row[2] for row in lines_of(Page(first))] == ["id2graph"]
    assert [row[2] for row in lines_of(Page(rest))] == ["local-clustering baseline"]
    first, _ = render(Survey([grouped(), strong])).split("<summary>All other guesses")
    assert [row[2] for row in lines_of(Page(first))] == ["union-clustering baseline"]


def test_attacks_that_share_a_reason_share_a_line_under_their_federation():
    missing = [
        finding(value=None, attack=attack, federation=federation, status="not applicable",
                reason=f"Under {federation} no instance-space messages cross.")
        for federation in ("split-network", "summed-network")
        for attack in ("id2graph", "union")
    ]  # fmt: skip
    rows = [row for row in page_of([grouped(), *missing]).rows if len(row) == 6 and "cross" in row[-1]]
    assert [[" ".join(cell.split()) for cell in row] for row in rows] == [
        ["id2graph, union labels", name, "lab", "none", "2", f"Under {name} no instance-space messages cross."]
        for name in ("split-network", "summed-network")
    ]
