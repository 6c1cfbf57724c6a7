"""Read a pretrained BERT encoder from a folder; nothing in it is run."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from seepage.data.text_pieces import WordPieces
from seepage.errors import BadSetting
from seepage.networks.transformer import SmallTransformer

CONFIG: Final = "config.json"
VOCABULARY: Final = "vocab.txt"
WEIGHTS: Final = "model.safetensors"
MARKS: Final = ("[CLS]", "[SEP]")


@dataclass(frozen=True)
class BertShape:
    """What the description of a BERT encoder says of its size.

    Parameters
    ----------
    vocabulary
        How many pieces of words its vocabulary names.
    marks
        The numbers of the pieces that stand before and after every text.
    positions
        How many pieces it can read, marks included.
    epsilon
        What keeps its normalization from dividing by zero.
    """

    vocabulary: int
    marks: tuple[int, int]
    width: int
    layers: int
    heads: int
    feedforward: int
    positions: int
    epsilon: float


def read_shape(folder: str) -> BertShape:
    """Read config.json and vocab.txt of an encoder, or say in a sentence what is wrong with them."""
    config = _config(Path(folder))
    if config.get("model_type", "bert") != "bert" or config.get("hidden_act", "gelu") != "gelu":
        raise BadSetting(
            f"encoder '{folder}' is a {config.get('model_type', 'bert')} with {config.get('hidden_act', 'gelu')} "
            "units, but a bert with gelu units is needed. Name the folder of a BERT encoder."
        )
    pieces = WordPieces.read(Path(folder, VOCABULARY)).pieces
    try:
        shape = BertShape(
            vocabulary=len(pieces),
            marks=(pieces[MARKS[0]], pieces[MARKS[1]]),
            width=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            feedforward=int(config["intermediate_size"]),
            positions=int(config["max_position_embeddings"]),
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadSetting(
            f"encoder '{folder}': {CONFIG} and {VOCABULARY} do not describe a BERT encoder ({error} is missing or no "
            "number). Name another folder."
        ) from None
    sizes = (shape.width, shape.layers, shape.heads, shape.feedforward)
    if min(sizes) < 1 or shape.width % shape.heads or not 0 < shape.epsilon < float("inf"):
        raise BadSetting(f"encoder '{folder}': {CONFIG} names sizes that no network has. Name another folder.")
    return shape


def is_there(folder: str) -> bool:
    """Whether a folder holds the three files of an encoder, all of them regular ones: no pipe is ever opened."""
    try:
        return all(Path(folder, name).is_file() for name in (CONFIG, VOCABULARY, WEIGHTS))
    except OSError:  # a name that is too long, or a folder that may not be read
        return False


def load_encoder(network: SmallTransformer, folder: str) -> SmallTransformer:
    """Fill all but the last layer of a network with the weights of an encoder."""
    stored = _weights(Path(folder))
    wanted = {name: tensor for name, tensor in network.state_dict().items() if not name.startswith("head.")}
    try:
        found = dict(_renamed(stored, len(network.layers)))
    except KeyError as error:
        raise BadSetting(
            f"encoder '{folder}': {WEIGHTS} holds no {error}. Name the folder of a BERT encoder."
        ) from None
    found["words.weight"] = found["words.weight"][: network.text.vocabulary]
    for name, tensor in wanted.items():
        if found[name].shape != tensor.shape:
            raise BadSetting(
                f"encoder '{folder}': {WEIGHTS} holds other shapes than {CONFIG} says ({name} is "
                f"{tuple(found[name].shape)} instead of {tuple(tensor.shape)}). Take both from the same encoder."
            )
    network.load_state_dict(found, strict=False)
    return network


def _config(folder: Path) -> Mapping[str, Any]:
    for name in (CONFIG, VOCABULARY, WEIGHTS):
        if not (folder / name).is_file():
            raise BadSetting(
                f"encoder is '{folder}', but there is no file '{name}' in that folder. "
                f"Name a folder with {CONFIG}, {VOCABULARY} and {WEIGHTS} of a BERT encoder."
            )
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError):
        config = None
    if not isinstance(config, dict):
        raise BadSetting(f"encoder '{folder}': {CONFIG} is not JSON that describes a network. Name another folder.")
    return config


def _weights(folder: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        stored: dict[str, Tensor] = load_file(folder / WEIGHTS)
    except (OSError, SafetensorError) as error:
        raise BadSetting(f"encoder '{folder}': {WEIGHTS} cannot be read ({error}). Fetch it again.") from None
    names = {"gamma": "weight", "beta": "bias"}  # what older files call the parts of a normalization
    plain = {name.removeprefix("bert."): tensor.float() for name, tensor in stored.items()}
    return {".".join(names.get(step, step) for step in name.split(".")): tensor for name, tensor in plain.items()}


def _renamed(stored: Mapping[str, Tensor], layers: int) -> Iterator[tuple[str, Tensor]]:
    """Pass on what `SmallTransformer` has, under its own names; all words are of type 0."""
    yield "words.weight", stored["embeddings.word_embeddings.weight"]
    kind = stored["embeddings.token_type_embeddings.weight"][0]
    yield "positions.weight", stored["embeddings.position_embeddings.weight"] + kind
    parts = {
        "joined": "attention.output.dense",
        "after_attention": "attention.output.LayerNorm",
        "wide": "intermediate.dense",
        "narrow": "output.dense",
        "after": "output.LayerNorm",
    }
    for suffix in ("weight", "bias"):
        yield f"first.{suffix}", stored[f"embeddings.LayerNorm.{suffix}"]
        for layer in range(layers):
            theirs = f"encoder.layer.{layer}"
            looks = [stored[f"{theirs}.attention.self.{name}.{suffix}"] for name in ("query", "key", "value")]
            yield f"layers.{layer}.attend.{suffix}", torch.cat(looks)
            for own, name in parts.items():
                yield f"layers.{layer}.{own}.{suffix}", stored[f"{theirs}.{name}.{suffix}"]
