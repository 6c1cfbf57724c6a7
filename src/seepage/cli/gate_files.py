"""What a gate found, in the formats that pipelines read: JUnit XML and SARIF."""

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from xml.etree import ElementTree

from seepage.cli.harmless import harmless
from seepage.files import private_folder, write_private

if TYPE_CHECKING:
    from seepage.audit.findings.finding import Finding
    from seepage.audit.findings.gate import Check, Complaint

SUITE: Final = "seepage gate"
RULES: Final = {
    "leak": "A leak is above its limit.",
    "gain": "A defense keeps too little of what the federation adds.",
    "unknown": "It is not known whether a limit holds.",
    "doubt": "A number stands on little: one seed, a sample, or nothing that read what crossed.",
}
SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def write_junit(path: Path, found: "Sequence[Check]", *, strict: bool) -> Path:
    """Write one test case for each thing that was checked; a doubt fails where it has to, and is a note elsewhere."""
    suite = ElementTree.Element("testsuite", name=SUITE, tests=str(len(found)), errors="0", skipped="0")
    failures = 0
    for check in found:
        case = ElementTree.SubElement(
            suite, "testcase", classname=harmless(f"{SUITE}.{check.about}"), name=harmless(check.name), time="0"
        )
        failed = [one for one in check.complaints if _fails(one, strict)]
        notes = [one.sentence for one in check.complaints if one not in failed]
        if failed:
            failures += 1
            failure = ElementTree.SubElement(case, "failure", message=harmless(failed[0].sentence), type=failed[0].rule)
            failure.text = harmless("\n".join(one.sentence for one in failed))
        if notes:
            ElementTree.SubElement(case, "system-out").text = harmless("\n".join(notes))
    suite.set("failures", str(failures))
    suites = ElementTree.Element("testsuites", name=SUITE, tests=str(len(found)), failures=str(failures))
    suites.append(suite)
    ElementTree.indent(suites)
    return _write(path, ElementTree.tostring(suites, encoding="unicode", xml_declaration=True))


def write_sarif(
    path: Path, found: "Sequence[Check]", findings: "Sequence[Finding]", run: Path, *, strict: bool
) -> Path:
    """Write one result for each complaint; it points at the line of the findings that it is about."""
    lines = {id(finding): number for number, finding in enumerate(findings, start=1)}
    results = [
        {
            "ruleId": complaint.rule,
            "level": "error" if _fails(complaint, strict) else "warning",
            "message": {"text": harmless(complaint.sentence)},
            "locations": [_location(run, lines.get(id(complaint.finding), 1))],
        }
        for check in found
        for complaint in check.complaints
    ]
    driver = {
        "name": "seepage",
        "version": version("seepage"),
        "rules": [{"id": rule, "shortDescription": {"text": text}} for rule, text in RULES.items()],
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    return _write(path, json.dumps(log, indent=2, ensure_ascii=False) + "\n")


def _location(run: Path, line: int) -> dict[str, Any]:
    from seepage.audit.findings.finding import FINDINGS_FILE

    place = {"uri": quote((run / FINDINGS_FILE).as_posix())}
    return {"physicalLocation": {"artifactLocation": place, "region": {"startLine": line}}}


def _fails(complaint: "Complaint", strict: bool) -> bool:
    return strict or complaint.rule != "doubt"


def _write(path: Path, text: str) -> Path:
    private_folder(path.parent)
    return write_private(path, text)
