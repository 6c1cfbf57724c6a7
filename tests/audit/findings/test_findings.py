"""What `seepage.audit` returns: a list that can be shown, tabulated, saved and drawn."""

import re
import sys
from functools import partial
from html.parser import HTMLParser
from types import ModuleType, SimpleNamespace

import pytest
import rich.console

import seepage
from command_line import typed
from imagined_findings import finding
from seepage.audit.findings.findings import Findings
from seepage.audit.findings.summary import summarize

NASTY = '<script>alert("x")</script>'
QUICK = {"federations": "logistic-regression", "attacks": "gradient-sign", "defenses": [], "seeds": 1}


@pytest.fixture(scope="module")
def findings():
    return seepage.audit(
        "iris", federations=["logistic-regression", "summed-network:epochs=2,batch=32"],
        attacks=["gradient-sign", "embedding-regression"], defenses=["laplace-noise:scale=0.1", "top-k"], seeds=2,
        parties=2,
    )  # fmt: skip


def test_findings_are_a_frozen_sequence(findings):
    assert isinstance(findings, Findings) and len(findings) == len(list(findings)) > 0
    assert findings[0] is next(iter(findings)) and findings[-1] in findings
    assert findings[:2] == Findings(findings.found[:2], findings.plan, findings.notes)
    with pytest.raises(AttributeError):
        findings.found = ()
    assert repr(Findings(())) == "<Findings: 0 runs of 0 attacks on 0 federations>"


def test_a_frame_has_the_lines_of_the_tables_with_their_numbers(findings):
    frame, lines = findings.to_frame(), summarize(findings)
    assert len(frame) == len(lines)
    for row, line in zip(frame.to_dict("records"), lines, strict=True):
        assert (row["attack"], row["seeds"], row["status"]) == (line.first.attack, line.seeds, line.status)
        assert row["defense"] == (line.first.defense or "none")
        if line.advantage is not None:
            held = (row["value"], row["advantage"], row["advantage_low"], row["advantage_high"])
            assert held == (line.value, line.advantage.mean, line.advantage.low, line.advantage.high)
            assert row["blind"] == line.blind and row["utility"] == line.utility
    assert set(frame["defense"]) == {"none", "laplace-noise", "top-k"}
    noisy = frame[frame["defense"] == "laplace-noise"]
    assert set(noisy["defense.scale"]) == {0.1} and noisy["defense.share"].isna().all()
    assert "model.optimizer.learning_rate" in frame.columns and not frame.columns.duplicated().any()
    assert frame.groupby([name for name in frame.columns if name.startswith("model.")], dropna=False).ngroups == 2


def test_a_frame_per_seed_has_every_finding(findings):
    frame = findings.to_frame(per_seed=True)
    assert len(frame) == len(findings) and set(frame["seed"]) == {0, 1}
    assert frame["value"].dropna().to_list() == [one.value for one in findings if one.value is not None]
    assert set(frame["defense"]) == {"none", "laplace-noise", "top-k"}


def test_a_frame_without_pandas_is_refused_in_a_sentence(findings, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_frame needs pandas, which is not installed. Install it: pip install"):
        findings.to_frame()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.words = [], []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        assert not {name for name, _ in attrs} - {"style"}

    def handle_data(self, data):
        self.words.append(data)


def test_a_notebook_shows_the_table_of_the_terminal(findings):
    page = Tags()
    page.feed(findings._repr_html_())
    assert {"table", "tr", "td", "p"} <= set(page.names) <= {"div", "table", "thead", "tbody", "tr", "th", "td", "p"}
    words = " ".join(page.words)
    measured = [line for line in summarize(findings) if line.advantage is not None]
    best = max(measured, key=lambda line: line.advantage.mean)
    assert best.first.attack in words and str(best.advantage) in words and "advantage: 0 is a blind guess" in words


def test_a_notebook_escapes_every_name():
    nasty = partial(finding, data=NASTY, federation=NASTY, adversary=(NASTY,), attack=NASTY, defense=NASTY,
                    defense_settings={NASTY: NASTY})  # fmt: skip
    lacking = nasty(status="not applicable", reason=NASTY, seed=1, attack="other")
    shown = Findings((nasty(), lacking))._repr_html_()
    assert "<script" not in shown and shown.count("&lt;script&gt;") >= 4
    assert "1 not applicable; to_frame() says why." in shown
    assert Findings(())._repr_html_() == "<div></div>"


def test_findings_are_saved_read_and_drawn(findings, tmp_path):
    path = findings.save(tmp_path / "deep" / "findings.jsonl")
    assert path.read_text() == findings.to_json_lines() and path.stat().st_mode & 0o077 == 0
    assert Findings.read(tmp_path / "deep").found == findings.found
    page = findings.report(tmp_path / "page.html")
    assert page == tmp_path / "page.html" and "gradient-sign" in page.read_text()
    assert findings.report(tmp_path / "deep") == tmp_path / "deep" / "report.html"
    assert findings.report(tmp_path / "new") == tmp_path / "new" / "report.html"
    assert re.search(r"seeds = \[\s*0,\s*1,\s*\]", page.read_text())  # the plan is on it


def test_the_page_is_the_one_that_the_command_line_draws(tmp_path):
    found = seepage.audit("iris", **QUICK, out=tmp_path)
    typed("report", tmp_path)
    assert (tmp_path / "report.html").read_text() == found.report(tmp_path / "mine.html").read_text()


def test_a_notebook_sees_how_far_an_audit_is(monkeypatch):
    shown = []

    def display(html, display_id):
        assert display_id
        return SimpleNamespace(update=shown.append)

    module = ModuleType("IPython.display")
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    seepage.audit("iris", **{**QUICK, "seeds": 2})
    assert shown[0].startswith('<progress value="0" max="6"></progress> 0 of 6: training and attacking, under a minute')
    assert "6 of 6: logistic-regression, the label holder alone, seed 1" in shown[-2] and shown[-1] == ""


def test_elsewhere_an_audit_is_quiet(capsys):
    seepage.audit("iris", **QUICK)
    assert capsys.readouterr() == ("", "")
