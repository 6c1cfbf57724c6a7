"""A Transformer encoder (Vaswani et al., NeurIPS 2017) for texts that arrive as rows of word numbers."""

import math
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seepage.shapes import TextShape


class EncoderLayer(nn.Module):
    """Words look at one another, then each by itself is rewritten; layers are normalized afterwards, as in BERT."""

    def __init__(self, width: int, heads: int, feedforward: int, epsilon: float) -> None:
        super().__init__()
        self.heads = heads
        self.attend = nn.Linear(width, 3 * width)
        self.joined = nn.Linear(width, width)
        self.after_attention = nn.LayerNorm(width, eps=epsilon)
        self.wide = nn.Linear(width, feedforward)
        self.bent = nn.GELU()
        self.narrow = nn.Linear(feedforward, width)
        self.after = nn.LayerNorm(width, eps=epsilon)

    def forward(self, hidden: Tensor, presence: Tensor) -> Tensor:
        """Rewrite the hidden states (rows × words × width); a word counts by its presence in [0, 1]."""
        # A word that is there by half is looked at half as much; one that is not there, not at all.
        bias = torch.where(presence > 0, presence.clamp_min(1e-30).log(), -torch.inf)
        query, key, value = self.attend(hidden).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        looks = (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2) + bias[:, None, None, :]
        seen = (looks.softmax(-1) @ value).transpose(1, 2).flatten(2)
        hidden = self.after_attention(hidden + self.joined(seen))
        return self.after(hidden + self.narrow(self.bent(self.wide(hidden))))  # type: ignore[no-any-return]


class SmallTransformer(nn.Module):
    """Word numbers to vectors, `layers` encoder layers, the mean over all words, and a linear layer.

    It is BERT's encoder (Devlin et al., 2019) without dropout and with the mean
    in the place of its pooler, as MixText has it. `lower` and `upper` are its two
    halves: MixText mixes rows in between, at layer `mix_layer`.

    Parameters
    ----------
    marks
        Word numbers that stand before, and where there are two, after every text.
    positions
        For how many words, marks included, there is a position to learn.
    """

    def __init__(
        self,
        text: TextShape,
        *,
        width: int,
        layers: int,
        heads: int,
        feedforward: int,
        outputs: int,
        marks: tuple[int, ...],
        positions: int,
        mix_layer: int,
        epsilon: float,
    ) -> None:
        super().__init__()
        self.text = text
        self.marks = marks
        self.mix_layer = mix_layer
        self.words = nn.Embedding(text.vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.first = nn.LayerNorm(width, eps=epsilon)
        self.layers = nn.ModuleList(EncoderLayer(width, heads, feedforward, epsilon) for _ in range(layers))
        self.head = nn.Linear(width, outputs)

    def forward(self, rows: Tensor) -> Tensor:
        """Read texts given as flat rows of word numbers, words first and zeros behind them."""
        return self.upper(self.lower(rows))

    def lower(self, rows: Tensor) -> Tensor:
        """Return hidden states below the layer at which rows may be mixed: rows × words × (width + 1).

        The last number of each word says whether it is there, so that nothing else
        has to be known of a row, and two rows can be mixed by mixing all numbers.
        """
        tokens, presence = self._marked(rows.round().clamp(0, self.text.vocabulary - 1).long())
        vectors = self.words(tokens)
        presence = presence.to(vectors.dtype)
        hidden = self.first(vectors + self.positions.weight[: tokens.shape[1]])
        for layer in islice(self.layers, self.mix_layer):
            hidden = layer(hidden, presence)
        return torch.cat([hidden, presence.unsqueeze(-1)], dim=-1)

    def upper(self, hidden: Tensor) -> Tensor:
        """Return outputs of what `lower` returned, of one row or mixed from two."""
        hidden, presence = hidden[..., :-1], hidden[..., -1]
        for layer in islice(self.layers, self.mix_layer, None):
            hidden = layer(hidden, presence)
        weights = presence.unsqueeze(-1)
        return self.head((hidden * weights).sum(1) / weights.sum(1))  # type: ignore[no-any-return]

    def _marked(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Put marks around every text; return its words, and which of them are there."""
        there = tokens > 0
        start, *end = self.marks
        if not end:
            return F.pad(tokens, (1, 0), value=start), F.pad(there, (1, 0), value=True)
        places = torch.arange(tokens.shape[1] + 2, device=tokens.device)
        behind = there.sum(1, keepdim=True) + 1
        opened = torch.where(places == 0, start, F.pad(tokens, (1, 1)))
        return torch.where(places == behind, end[0], opened), places <= behind
