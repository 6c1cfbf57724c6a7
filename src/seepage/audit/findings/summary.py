"""Findings over seeds, one line for each thing that was tried."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Final

from seepage.audit.findings.circumstances import Circumstances, grouped
from seepage.audit.findings.finding import CHOSEN, Finding, Ranking
from seepage.audit.findings.worth import Worth
from seepage.scores.intervals import Interval
from seepage.scores.levels import TOLERABLE
from seepage.scores.metrics import Metric, metric_of
from seepage.scores.reached import Reached, strongest

FEWEST_ANSWERED: Final = 0.01
MOST_ANSWERED: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was reached in answer to one question, over all seeds."""

    metric: str | None
    value: float | None
    blind: float | None
    ceiling: float | None
    ceiling_kind: str | None
    advantage: Interval | None
    blind_kinds: tuple[str | None, ...]
    reached: Reached

    @classmethod
    def of(cls, answers: Mapping[int, Finding | Ranking]) -> "Answer":
        """Average one answer for each seed."""
        held = list(answers.values())
        reached = _reached(answers, {seed: one.value for seed, one in answers.items()})
        return cls(
            metric=held[0].metric if held else None,
            value=_mean([one.value for one in held]),
            blind=_mean([one.blind for one in held]),
            ceiling=_mean([one.ceiling for one in held]),
            ceiling_kind=held[0].ceiling_kind if held else None,
            advantage=strongest([reached]),
            blind_kinds=tuple(one.blind_kind for one in held) or (None,),
            reached=reached,
        )

    @property
    def reach(self) -> float:
        """The advantage, or less than any where there is none."""
        return self.advantage.mean if self.advantage else -1.0


@dataclass(frozen=True, kw_only=True)
class SummaryLine:
    """One attack under one defense on one federation, over all seeds.

    Two questions are asked about labels: how many are named, and how well people are
    ranked. `metric`, `value`, `blind`, `ceiling` and `advantage` are those of the question whose
    answer is worse for the victim; `milder` is the answer to the other one. `answered` is
    the share of rows for which the attack gave an answer, and `advantage_answered` the
    advantage over these rows alone. `other` holds the other metrics, each averaged over the
    seeds that have it, and `withheld` the share of predictions that a defense did not release.
    `bounds` holds what theory says, one entry for each seed that is ``ok``, and
    `blind_kinds` what was blind there. `views` holds the digests of what the attack was shown, by seed.
    `picks` are the attacks that an adversary chose itself, seed by seed, where this is the line of its choice.
    `reached` holds what was reached seed by seed, and `worth` what the model was worth.
    """

    first: Finding
    seeds: int
    failed: int
    metric: str | None
    value: float | None
    blind: float | None
    ceiling: float | None
    ceiling_kind: str | None
    advantage: Interval | None
    answered: float
    advantage_answered: Interval | None
    utility: float | None
    utility_undefended: float | None
    seconds: float | None
    other: Mapping[str, float] = field(default_factory=dict)
    withheld: float = 0.0
    bounds: tuple[Mapping[str, Any], ...] = ()
    blind_kinds: tuple[str | None, ...] = (None,)
    milder: "Answer | None" = None
    views: Mapping[int, str] = field(default_factory=dict)
    picks: tuple[str, ...] = ()
    reached: Reached = field(default_factory=lambda: Reached({}))
    worth: Worth = field(default_factory=Worth)

    @cached_property
    def circumstances(self) -> Circumstances:
        """What all its findings have in common, and the seed of the first."""
        return Circumstances.of(self.first)

    @property
    def measure(self) -> Metric:
        """The metric itself, with the words that go with it."""
        return metric_of(self.metric)

    @property
    def status(self) -> str:
        """``ok`` when at least one seed was."""
        return self.first.status

    @property
    def is_baseline(self) -> bool:
        """Whether this is something to compare attacks with, rather than one of them."""
        return self.first.role == "baseline"

    @property
    def outside_training(self) -> bool:
        """Whether labels of people were guessed whom the federation was not trained on."""
        return self.first.asset == "labels" and self.first.rows != "train"

    @property
    def reach(self) -> float:
        """The mean advantage, or less than any where there is none."""
        return self.advantage.mean if self.advantage else -1.0

    @property
    def strength(self) -> tuple[float, float, bool, bool]:
        """What makes one line stronger than another: the one place that says so.

        Of two that reach the same, who is right on the few rows that it answers comes first, then an attack before
        a baseline, and training rows before others.
        """
        sure = self.advantage_answered.mean if self.advantage_answered and self.betrays_some_rows else 0.0
        return (self.reach, sure, not self.is_baseline, self.first.rows == "train")

    @property
    def betrays_some_rows(self) -> bool:
        """Whether the attack is silent on some rows and right on the others: an advantage of 0 then hides a leak.

        Rows without an answer count as wrong, so a defense that silences most rows drowns what it gives away.
        """
        sure, overall = self.advantage_answered, self.advantage
        return (
            sure is not None
            and overall is not None
            and FEWEST_ANSWERED <= self.answered <= MOST_ANSWERED
            and sure.mean > max(overall.mean, TOLERABLE)
        )

    @property
    def blind_kind(self) -> str | None:
        """Which guess was the best blind one; ``best blind guess`` where it was not the same under every seed."""
        return self.blind_kinds[0] if len(set(self.blind_kinds)) == 1 else "best blind guess"

    @property
    def rivals(self) -> tuple[Reached, ...]:
        """What was reached in answer to each question, where there are several."""
        return (self.reached, self.milder.reached) if self.milder else (self.reached,)

    @property
    def honest(self) -> bool:
        """Whether nobody but a defense changed what the model is worth."""
        return self.first.tampering is None

    @property
    def cost_interval(self) -> Interval | None:
        """How much utility the defense took away; None where the adversary took some as well."""
        return self.worth.cost if self.first.defense is not None and self.honest else None

    @property
    def cost(self) -> float | None:
        """The mean of that."""
        return self.cost_interval.mean if self.cost_interval else None

    @property
    def kept(self) -> Interval | None:
        """The share of the federation's gain that the defense leaves; None where that is not known."""
        return self.worth.kept if self.first.defense is not None and self.honest else None

    @property
    def tampering_cost(self) -> float | None:
        """How much utility the adversary itself took away without a defense; None where it behaved."""
        lost = self.worth.cost if self.first.defense is None and not self.honest else None
        return lost.mean if lost else None


def summarize(findings: Iterable[Finding]) -> list[SummaryLine]:
    """Average over seeds; lines come in the order in which findings first appear."""
    return [_line(group) for group in grouped(findings, lambda one: Circumstances.of(one).line).values()]


def _line(group: Sequence[Finding]) -> SummaryLine:
    fine = [finding for finding in group if finding.status == "ok"]
    by_seed = {finding.seed: finding for finding in fine}
    rankings = {seed: finding.ranking for seed, finding in by_seed.items() if finding.ranking is not None}
    answers = [Answer.of(by_seed), *([Answer.of(rankings)] if rankings else [])]
    answers.sort(key=lambda one: -one.reach)
    return SummaryLine(
        first=fine[0] if fine else group[0],
        seeds=len(fine),
        failed=sum(finding.status == "failed" for finding in group),
        **{field.name: getattr(answers[0], field.name) for field in fields(Answer)},
        milder=answers[1] if len(answers) > 1 else None,
        answered=1 - (_mean([finding.other_metrics.get("abstained") for finding in fine]) or 0.0),
        advantage_answered=strongest(
            [
                _reached(
                    by_seed, {seed: one.other_metrics.get(f"{one.metric}_answered") for seed, one in by_seed.items()}
                )
            ]
        ),
        utility=_mean([finding.utility for finding in group]),
        utility_undefended=_mean([finding.utility_undefended for finding in group]),
        seconds=_mean([finding.seconds for finding in group]),
        other=_other(fine),
        withheld=_mean([finding.utility_metrics.get("withheld") for finding in group]) or 0.0,
        bounds=tuple(finding.bounds for finding in fine),
        views={finding.seed: finding.view for finding in fine if finding.view is not None},
        picks=tuple(str(finding.attack_settings.get("pick")) for finding in fine if finding.role == CHOSEN),
        worth=Worth(
            joint=_held({one.seed: one.utility for one in group}),
            undefended=_held({one.seed: _undefended(one) for one in group}),
            alone=_held({one.seed: one.utility_alone for one in group}),
        ),
    )


def _other(fine: Sequence[Finding]) -> dict[str, float]:
    """Average every other metric; columns are dealt anew with each seed, so not all seeds have all of them."""
    held = grouped(((key, value) for one in fine for key, value in one.other_metrics.items()), lambda entry: entry[0])
    return {key: sum(value for _, value in entries) / len(entries) for key, entries in held.items()}


def _reached(answers: Mapping[int, Finding | Ranking], values: Mapping[int, float | None]) -> Reached:
    """Put what was reached under each seed beside blind and ceiling, where all three are known."""
    scored = {
        seed: (value, one.blind, one.ceiling)
        for seed, one in answers.items()
        if (value := values[seed]) is not None and one.blind is not None and one.ceiling is not None
    }
    return Reached(scored, metric_of(next(iter(answers.values())).metric).narrow) if scored else Reached({})


def _undefended(finding: Finding) -> float | None:
    """Return what the model is worth that nobody defended or tampered with."""
    bare = finding.defense is None and finding.tampering is None
    return finding.utility if finding.utility_undefended is None and bare else finding.utility_undefended


def _held(values: Mapping[int, float | None]) -> dict[int, float]:
    return {seed: value for seed, value in values.items() if value is not None}


def _mean(values: Iterable[float | None]) -> float | None:
    held = [value for value in values if value is not None]
    return sum(held) / len(held) if held else None
