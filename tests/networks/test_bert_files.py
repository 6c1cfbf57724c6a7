import json
import math

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from seepage.audit.plan.plan import DataPlan, PartitionPlan
from seepage.audit.stages.preparation import load_table, prepare
from seepage.data import Encoding
from seepage.errors import BadSetting
from seepage.federations.split_network import SplitNetwork
from seepage.federations.words import check_words, text_bottom
from seepage.hooks import Hooks
from seepage.networks.architectures import from_json, to_json, without_encoder
from seepage.networks.bert_files import read_shape
from seepage.networks.optimizers import OptimizerSettings
from seepage.partition import OwnPart
from seepage.shapes import TextShape
from seepage.transcript import Recording

NAMES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefgh")
WIDTH, HEADS, LAYERS, WIDE, POSITIONS = 8, 2, 2, 12, 10


def made_up_weights(prefix=""):
    """The tensors of a BERT checkpoint, under the names of its files."""
    rng = torch.Generator().manual_seed(0)
    shapes = {
        "embeddings.word_embeddings.weight": (len(NAMES) + 2, WIDTH),  # files may hold more than the vocabulary
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
        "pooler.dense.weight": (WIDTH, WIDTH),
    }
    for layer in range(LAYERS):
        dense = {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "attention.output.LayerNorm": (WIDTH,),
            "intermediate.dense": (WIDE, WIDTH),
            "output.dense": (WIDTH, WIDE),
            "output.LayerNorm": (WIDTH,),
        }
        for name, shape in dense.items():
            shapes[f"encoder.layer.{layer}.{name}.weight"] = shape
            shapes[f"encoder.layer.{layer}.{name}.bias"] = shape[:1]
    return {prefix + name: torch.randn(shape, generator=rng) * 0.7 for name, shape in shapes.items()}


@pytest.fixture
def folder(tmp_path):
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": WIDE,
        "max_position_embeddings": POSITIONS,
        "vocab_size": len(NAMES) + 2,
        "layer_norm_eps": 1e-12,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "vocab.txt").write_text("\n".join(NAMES) + "\n")
    save_file(made_up_weights(), tmp_path / "model.safetensors")
    return tmp_path


def part_of(width=5, vocabulary=12):
    names = tuple(f"word_{place}" for place in range(width))
    features = np.zeros((2, width), dtype=np.float32)
    return OwnPart("shop", names, features, names, np.arange(width), text=TextShape(width, vocabulary))


def slow_bert(weights, pieces):
    """The mean of BERT's last hidden states of one text, word by word and head by head, in float64."""
    w = {name: tensor.double().numpy() for name, tensor in weights.items()}
    tokens = [2, *pieces, 3]

    def normal(x, name):
        centred = x - x.mean()
        return centred / np.sqrt((centred**2).mean() + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x, name):
        return w[f"{name}.weight"] @ x + w[f"{name}.bias"]

    states = [
        normal(
            w["embeddings.word_embeddings.weight"][token]
            + w["embeddings.position_embeddings.weight"][place]
            + w["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for place, token in enumerate(tokens)
    ]
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        query, key, value = (
            [dense(x, f"{at}.attention.self.{kind}") for x in states] for kind in ("query", "key", "value")
        )
        after = []
        for here, state in enumerate(states):
            seen = np.zeros(WIDTH)
            for head in range(HEADS):
                own = slice(head * size, (head + 1) * size)
                scores = np.array([query[here][own] @ other[own] for other in key]) / math.sqrt(size)
                shares = np.exp(scores - scores.max())
                seen[own] = sum(share * other[own] for share, other in zip(shares / shares.sum(), value, strict=True))
            between = normal(state + dense(seen, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            wide = np.array(
                [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in dense(between, f"{at}.intermediate.dense")]
            )
            after.append(normal(between + dense(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm"))
        states = after
    return np.mean(states, axis=0)


def test_an_encoder_computes_what_bert_computes(folder):
    network = text_bottom(part_of(), 3, 0, 0, 0, str(folder)).build()
    texts = [[5, 9, 4], [11], [4, 5, 6, 7, 8]]
    rows = torch.tensor([text + [0] * (5 - len(text)) for text in texts]).float()
    head = network.head
    for row, text in zip(network(rows), texts, strict=True):
        mean = torch.from_numpy(slow_bert(made_up_weights(), text)).float()
        assert torch.allclose(row, head(mean), atol=1e-4)


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_names_of_older_files_are_known(folder, prefix):
    new = text_bottom(part_of(), 3, 0, 0, 0, str(folder)).build().state_dict()
    spelled = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): tensor
        for name, tensor in made_up_weights(prefix).items()
    }
    save_file(spelled, folder / "model.safetensors")
    old = text_bottom(part_of(), 3, 0, 0, 0, str(folder)).build().state_dict()
    assert all(torch.equal(old[name], new[name]) for name in new if not name.startswith("head."))


def test_an_architecture_remembers_its_encoder_and_can_do_without(folder):
    architecture = text_bottom(part_of(), 3, 0, 0, 0, str(folder))
    again = from_json(to_json(architecture))
    assert again == architecture
    (folder / "model.safetensors").unlink()
    with pytest.raises(BadSetting, match="cannot be read"):
        again.build()
    assert without_encoder(again).build()(torch.zeros(2, 5)).shape == (2, 3)


def table_of(*parts):
    class Data:
        def __init__(self):
            self.parts = {part.party: part for part in parts}

    return Data()


def test_a_vocabulary_that_is_not_the_encoders_is_refused(folder):
    check_words(table_of(part_of()), str(folder))
    with pytest.raises(BadSetting, match="knows 12 pieces of words, but texts were read with a vocabulary of 8192"):
        check_words(table_of(part_of(vocabulary=8192)), str(folder))
    with pytest.raises(BadSetting, match="reads 8 pieces of words at most, but 'shop' holds 9"):
        check_words(table_of(part_of(width=9)), str(folder))


def test_a_folder_that_holds_no_encoder_is_refused(folder):
    with pytest.raises(BadSetting, match=r"no file 'config\.json'"):
        read_shape(str(folder / "elsewhere"))
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(BadSetting, match="is a gpt2 with gelu units"):
        read_shape(str(folder))
    (folder / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(BadSetting, match="'hidden_size' is missing"):
        read_shape(str(folder))
    uneven = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 4}
    (folder / "config.json").write_text(json.dumps({**uneven, "max_position_embeddings": 9}))
    with pytest.raises(BadSetting, match="sizes that no network has"):
        read_shape(str(folder))
    (folder / "config.json").write_text("[")
    with pytest.raises(BadSetting, match="not JSON"):
        read_shape(str(folder))


def test_weights_that_do_not_fit_are_refused(folder):
    architecture = text_bottom(part_of(), 3, 0, 0, 0, str(folder))
    weights = load_file(folder / "model.safetensors")
    short = {**weights, "embeddings.position_embeddings.weight": torch.zeros(4, WIDTH)}
    save_file(short, folder / "model.safetensors")
    with pytest.raises(BadSetting, match=r"positions\.weight is \(4, 8\) instead of \(10, 8\)"):
        architecture.build()
    del weights["encoder.layer.1.output.dense.bias"]
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(BadSetting, match=r"holds no 'encoder\.layer\.1\.output\.dense\.bias'"):
        architecture.build()
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(BadSetting, match="cannot be read"):
        architecture.build()


def test_training_starts_from_the_encoder(folder, tmp_path):
    rng = np.random.default_rng(0)
    letters = [" ".join(rng.choice(list("abcdefgh"), size=6)) for _ in range(40)]
    (tmp_path / "letters.csv").write_text(
        "body,y\n" + "".join(f"{text},{row % 2}\n" for row, text in enumerate(letters))
    )
    named = {"text": "body", "words": 12, "vocabulary": str(folder / "vocab.txt")}
    table = load_table(DataPlan(file=str(tmp_path / "letters.csv"), label="y", **named))
    data = prepare(table, PartitionPlan(kind="halves"), (), Encoding(), "stratified", 0).data
    still = OptimizerSettings(name="sgd", learning_rate=1e-12)
    federation = SplitNetwork(bottom="transformer", encoder=str(folder), epochs=1, batch=16, optimizer=still)
    run = federation.train(data, hooks=Hooks(), record=Recording(), rng=np.random.default_rng(0))
    trained = run.passive["passive"].bottom.network.state_dict()
    stored = made_up_weights()
    assert torch.allclose(trained["layers.1.wide.weight"], stored["encoder.layer.1.intermediate.dense.weight"])
    assert np.isfinite(run.predict(data.test)).all()
