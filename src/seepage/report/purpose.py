"""What a federation is for, in a sentence."""

from seepage.audit.findings.purpose import Purpose
from seepage.audit.findings.survey import Survey


def purpose_sentences(survey: Survey) -> list[str]:
    """Say which federations are worth no more than a constant, or than the label holder reaches alone."""
    return [said for one in survey.purposes if (said := purpose_sentence(one))]


def purpose_sentence(one: Purpose) -> str:
    """Say why a federation may not be worth having; nothing where it is.

    >>> from seepage.audit.findings.finding import Finding
    >>> from seepage.scores.intervals import Interval
    >>> facts = {"data": "people", "encoding": "one-hot", "scaling": "standard", "parties": 2, "seed": 0}
    >>> found = Finding(**facts, federation="forest", adversary=("shop",), attack="id2graph", asset="labels",
    ...                 utility_metric="auc", partition={"active": "bank", "columns": {"bank": ["age"]}})
    >>> print(purpose_sentence(Purpose(found, 0.801, 0.8, Interval(0.001, -0.01, 0.012), needless=True)))
    forest gains nothing beyond noise from the others: 'bank' alone reaches AUC 0.800, all together 0.801. Ask ...
    >>> purpose_sentence(Purpose(found, 0.9, 0.8, Interval(0.1, 0.08, 0.12)))
    ''
    """
    name, metric = one.first.federation, _metric(one.first.utility_metric)
    holder = f"'{one.holder}'" if one.holder is not None else "the label holder"
    if one.useless:
        return (
            f"{name} learned nothing: {metric} {one.joint:.3f}, where saying the same of every row reaches "
            f"{one.constant:.3f}. What leaks from it, and what a defense costs, says little."
        )
    if not one.needless:
        return ""
    alone = f"{holder} alone reaches {metric} {one.alone:.3f}"
    if one.labels_only:
        alone = f"saying the same of every row, all that {holder} can without columns, reaches {metric} {one.alone:.3f}"
    return (
        f"{name} gains nothing beyond noise from the others: {alone}, all together {one.joint:.3f}. "
        "Ask why to federate, and read no cost of a defense from it."
    )


def _metric(name: str | None) -> str:
    return {"auc": "AUC"}.get(name or "", name or "a utility of")
