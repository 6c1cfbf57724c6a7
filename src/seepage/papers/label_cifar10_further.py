"""Which further lines of paper 001 there are on CIFAR-10: what each choice is worth, Table 6 and Figure 5.

Of the setting of Table 2 one thing is changed at a time. Lines that share a training stand together in one piece of
work, so that a bottom model is trained once; pieces that read what another one trained stand far behind it.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias

from seepage.attacks.labels.gradient_sign import GradientSign
from seepage.defenses.gradients.discrete_gradients import DiscreteGradients
from seepage.defenses.gradients.laplace_noise import LaplaceNoise
from seepage.defenses.gradients.privacy_preserving_dl import PrivacyPreservingDL
from seepage.defenses.gradients.top_k import TopK
from seepage.federations.summed_network import SummedNetwork
from seepage.hooks import Defense
from seepage.learners.completion.mixmatch import BottomKind
from seepage.networks.optimizers import OptimizerSettings
from seepage.papers.label_cifar10_line import Line
from seepage.papers.label_cifar10_training import TABLE_2, WITH_SERVER, Setting

DIFFERENCES, TABLE_6, FIGURE_5 = "differences", "table6", "figure5"
FURTHER: Final = (DIFFERENCES, TABLE_6, FIGURE_5)
"""What can be asked for besides Tables 2 to 4."""
AS_IN_TABLE_2: Final = "as in Table 2"
UNDEFENDED: Final = "no defense"
Piece: TypeAlias = tuple[Line, ...]
"""Lines that one process measures, one after the other."""
Rule: TypeAlias = Literal["smallest", "first-negative"]
DIRECT_BATCH: Final = 32
"""Of the authors' code for the direct attack: what noise hides depends on it."""


def further(setting: Setting, tables: Collection[str]) -> list[Piece]:
    """Return the work for some tables, in the order in which it is begun: what takes long stands first."""
    alone, reading = differences(setting)
    pieces = [*alone, *table6(setting), *reading, *figure5(setting)]
    return [piece for piece in pieces if piece[0].table in tables]


def differences(setting: Setting) -> tuple[list[Piece], list[Piece]]:
    """Change one thing of Table 2 at a time; the first of all is what the others are compared with.

    The second list reads what the first piece has trained.
    """
    base = replace(setting, learner=replace(setting.learner, every_epoch=True))
    training = base.federation.training
    adam, steady = OptimizerSettings(), replace(training.optimizer, milestones=())
    return [
        (
            _learned(base, AS_IN_TABLE_2),
            _learned(base, "300 steps of MixMatch", steps=300),
            _learned(base, "2,000 steps of MixMatch", steps=2000),
        ),
        (_trained(base, "the rate stays", optimizer=steady),),
        (_trained(base, "Adam at 0.001, the rate stays", optimizer=adam),),
        (_trained(base, "first weights of He et al.", first_weights="he"),),
        (_built(base, "ResNet-20, as in the authors' code", planes=(16, 32, 64), blocks=3),),
        (_trained(base, "malicious, Adam at 0.001", malicious=True, optimizer=adam),),
        (_trained(base, "a third of the epochs", epochs=max(1, training.epochs // 3)),),
        (_trained(base, "batches four times as large", batch=4 * training.batch),),
    ], [
        (_learned(base, "tuned along, 300 steps", steps=300, bottom="tuned"),),
        (_learned(base, "tuned along, 2,000 steps", steps=2000, bottom="tuned"),),
    ]


def _learned(base: Setting, label: str, *, steps: int | None = None, bottom: BottomKind = "frozen") -> Line:
    """Return a line that completes the same bottom model in another way."""
    iterations = base.learner.iterations if steps is None else max(1, steps // base.learner.epochs)
    attack = replace(base, learner=replace(base.learner, iterations=iterations)).passive(TABLE_2)
    return Line(DIFFERENCES, label, base, replace(attack, bottom=bottom))


def _trained(base: Setting, label: str, *, malicious: bool = False, **changed: Any) -> Line:
    """Return a line of which the training is another."""
    training = replace(base.federation.training, **changed)
    attack = base.active(TABLE_2) if malicious else base.passive(TABLE_2)
    return Line(DIFFERENCES, label, replace(base, federation=replace(base.federation, training=training)), attack)


def _built(base: Setting, label: str, **changed: Any) -> Line:
    """Return a line of which bottom models are others."""
    bottoms = replace(base.federation.bottoms, **changed)
    setting = replace(base, federation=replace(base.federation, bottoms=bottoms))
    return Line(DIFFERENCES, label, setting, base.passive(TABLE_2))


def table6(setting: Setting) -> list[Piece]:
    """Read labels off the gradients of logits that are added up, under each defense; the paper reads the first epoch.

    One epoch is trained, two where the first one serves to measure.
    """
    return [
        *(_direct(setting, label, defense, epochs=1) for label, defense in DEFENSES.items()),
        *(
            _direct(setting, f"discrete, N {levels}", DiscreteGradients(intervals=levels, warm_up="clear"), epochs=2)
            for levels in (24, 18, 12, 6)
        ),
    ]


def _direct(setting: Setting, label: str, defense: Defense | None, epochs: int) -> Piece:
    optimizer = replace(setting.federation.training.optimizer, milestones=())
    training = replace(setting.federation.training, epochs=epochs, batch=DIRECT_BATCH, optimizer=optimizer)
    federation = SummedNetwork(bottoms=setting.federation.bottoms, training=training)
    rules: tuple[Rule, ...] = ("smallest", "first-negative")
    attacks = tuple(GradientSign(epochs=(epoch,), rule=rule) for epoch in range(epochs) for rule in rules)
    one = replace(setting, federation=federation, dealing=WITH_SERVER, defense=defense)
    return (Line(TABLE_6, label, one, attacks),)


def figure5(setting: Setting) -> list[Piece]:
    """Complete bottom models that learned from defended gradients, in a third of the epochs; strong settings first."""
    epochs = max(1, setting.federation.training.epochs // 3)
    federation = replace(setting.federation, training=replace(setting.federation.training, epochs=epochs))
    pieces: list[Piece] = []
    for defenses in (STRONG, WEAKER):
        for malicious in (False, True):
            for label, defense in defenses.items():
                one = replace(setting, federation=federation, dealing=WITH_SERVER, defense=defense)
                attack = one.active(TABLE_2) if malicious else one.passive(TABLE_2)
                pieces.append((Line(FIGURE_5, label, one, attack),))
    return pieces


DEFENSES: Final[Mapping[str, Defense | None]] = {
    UNDEFENDED: None,
    **{f"noise {scale:g}": LaplaceNoise(scale=scale) for scale in (1e-4, 1e-3, 1e-2, 1e-1)},
    **{f"top-k, {share:.0%} kept": TopK(share=share) for share in (0.75, 0.5, 0.25, 0.1)},
    **{f"PPDL, θ_u {theta:g}": PrivacyPreservingDL(theta_u=theta) for theta in (0.75, 0.5, 0.25, 0.1)},
    **{
        f"PPDL, θ_u {theta:g}, authors' variant": PrivacyPreservingDL(theta_u=theta, unselected="raw")
        for theta in (0.75, 0.5, 0.25, 0.1)
    },
}
"""What a line of Table 6 is called → the defense, as far as the first epoch is defended."""
STRONG: Final[Mapping[str, Defense | None]] = {
    **{label: DEFENSES[label] for label in (UNDEFENDED, "noise 0.01", "top-k, 10% kept")},
    "PPDL, θ_u 0.25, authors' variant": DEFENSES["PPDL, θ_u 0.25, authors' variant"],
    "discrete, N 6": DiscreteGradients(intervals=6),
}
WEAKER: Final[Mapping[str, Defense | None]] = {
    **{label: DEFENSES[label] for label in ("noise 0.001", "top-k, 25% kept", "PPDL, θ_u 0.25")},
    "discrete, N 24": DiscreteGradients(intervals=24),
}
"""Of Figure 5: the discrete gradients of its first epoch are silent."""
