"""What federations make of texts: a Transformer reads them, and nothing else does."""

from seepage.errors import BadSetting
from seepage.networks.architectures import Transformer
from seepage.networks.bert_files import BertShape, read_shape
from seepage.partition import OwnPart, PartitionedTable


def refuse_words(data: PartitionedTable) -> None:
    """Refuse texts where columns are read as numbers."""
    for part in data.parts.values():
        if part.text is not None:
            raise BadSetting(
                f"The columns of '{part.party}' are words, whose numbers mean nothing by themselves. "
                "Use split-network or summed-network with --model bottom=transformer."
            )


def check_words(data: PartitionedTable, encoder: str | None) -> None:
    """Refuse anything but texts, and texts that the encoder cannot read."""
    shape = read_shape(encoder) if encoder is not None else None
    for part in data.parts.values():
        if part.text is None and part.width:
            raise BadSetting(
                f"bottom is 'transformer', but the columns of '{part.party}' are not the words of a text. "
                "Name a column of texts (--text COLUMN), or use --model bottom=mlp."
            )
        if part.text is not None and shape is not None:
            _check_encoder(part, shape, str(encoder))


def text_bottom(part: OwnPart, outputs: int, width: int, layers: int, heads: int, encoder: str | None) -> Transformer:
    """Return the bottom model of a party that holds texts: of the sizes given, or those of the encoder."""
    assert part.text is not None
    if encoder is None:
        return Transformer(part.text, width, layers, heads, 2 * width, outputs)
    shape = read_shape(encoder)
    return Transformer(
        text=part.text,
        width=shape.width,
        layers=shape.layers,
        heads=shape.heads,
        feedforward=shape.feedforward,
        outputs=outputs,
        marks=shape.marks,
        positions=shape.positions,
        epsilon=shape.epsilon,
        encoder=encoder,
    )


def _check_encoder(part: OwnPart, shape: BertShape, encoder: str) -> None:
    assert part.text is not None
    if part.text.vocabulary != shape.vocabulary:
        raise BadSetting(
            f"encoder '{encoder}' knows {shape.vocabulary} pieces of words, but texts were read with a vocabulary of "
            f"{part.text.vocabulary}. Read them with its own (--vocabulary {encoder}/vocab.txt)."
        )
    if part.text.length + len(shape.marks) > shape.positions:
        raise BadSetting(
            f"encoder '{encoder}' reads {shape.positions - len(shape.marks)} pieces of words at most, "
            f"but '{part.party}' holds {part.text.length}. Read fewer (--words)."
        )
