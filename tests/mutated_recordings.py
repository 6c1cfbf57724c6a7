"""Recordings that somebody spoiled, and what becomes of them: a sentence, or an answer, within a time and a memory."""

import json
import os
import resource
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from sklearn.datasets import load_breast_cancer

import seepage
from samples import small_data
from seepage.audit.findings.circumstances import Surroundings
from seepage.audit.plan.attacks import built_attack
from seepage.audit.recordings.applying import check, tried
from seepage.audit.recordings.recorded_run import RecordedRun, read_runs, write_run
from seepage.audit.scoring.truth import truth_of
from seepage.audit.stages.attacking import attack_run
from seepage.audit.stages.chaining import threat_for
from seepage.errors import AuditError
from seepage.federations import FEDERATIONS
from seepage.messages import NETWORK_KINDS, register
from seepage.payload_shapes import Carried, PayloadShape
from seepage.randomness import stream
from seepage.views import grant
from trained_runs import released

SECONDS = 10
QUICK = {
    "gradient-sign", "gradient-direction", "linear-probe", "embedding-regression", "embedding-clustering",
    "label-chain", "equality-solving", "path-restriction", "id2graph", "leaf-labels", "union", "adjusted-count",
    "attribute-inference",
    "local-clustering", "split-sides", "direct-completion", "prediction-distillation", "semi-supervised",
}  # fmt: skip
"""Attacks that take a moment on a small run."""
ODD: tuple[Any, ...] = (
    None, -1, 0, 1, 2, 10**5, 10**9, 10**18, -5, 0.5, float("nan"), 1e300, True, False, "", "x", "../../x",
    "/etc/passwd", "bank", "shop", "message.0.rows", "gradient", "\x1b[31m", [], {},
    [0] * 3, ["bank", "bank"], [[1]], {"a": 1}, "🦔",
)  # fmt: skip


OURS = (
    ("label-chain", "logistic-regression", {"epochs": 2}, "passive", ()),
    ("equality-solving", "logistic-regression", {"epochs": 2}, "active", ()),
    ("linear-probe", "split-network", {"epochs": 1, "hidden": [4]}, "passive", ()),
    ("adjusted-count", "split-network", {"epochs": 2, "hidden": [4]}, "active", ("sepal length (cm)=6..",)),
    ("id2graph", "boosting", {"trees": 2, "depth": 2}, "passive", ()),
    ("path-restriction", "decision-tree", {"depth": 3}, "active", ()),
)
"""What one of our federations is recorded for, its settings, who is curious, and about which properties."""


def recordings(home: Path, names: Sequence[str] = ()) -> list[Path]:
    """Write one small recording of each kind, or those with some names."""
    makers: dict[str, Callable[[Path], Path]] = {"stranger": _stranger, "nvflare": _nvflare}
    makers |= {f"{told[0]}-{told[1]}": partial(_ours, *told) for told in OURS}
    return [make(home / name) for name, make in makers.items() if not names or name in names]


def _nvflare(folder: Path) -> Path:
    """Give what a real engine sent to a shop: half precision, rows that were drawn twice, chunk after chunk."""
    shutil.copytree(Path(__file__).parent / "recorders" / "nvflare_split", folder)
    columns, labels = load_breast_cancer(return_X_y=True)
    other = folder.with_name("knowing")
    with seepage.Recorder(other, parties=["bank", "shop"], active="bank", classes=2, top_model=True) as record:
        record.rows(train=range(128), new=range(128, 160))
        record.columns("shop", columns[:160, 15:])
        record.truth(labels=labels[:160])
        record.know_labels(per_class=3)
    for path in (*other.glob("knowledge*"), other / "truth.safetensors"):
        shutil.copy(path, folder)
    return folder


def _stranger(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    rows, labels = np.arange(40), np.arange(40) % 2
    columns = rng.normal(size=(50, 3)) + np.append(labels, np.zeros(10))[:, None]
    register("bin-losses", PayloadShape((Carried("loss", "real", ("rows",)), Carried("bins", "whole", ("bins", 2)))))
    kinds = (*NETWORK_KINDS, "bin-losses")
    record = seepage.Recorder(
        folder, parties=["bank", "shop"], active="bank", classes=2, top_model=True, batch=20, kinds=kinds
    )
    record.rows(train=rows, new=np.arange(40, 50))
    record.columns("shop", columns, ["a", "b", "c"])
    record.columns("bank", columns[:, :2], ["d", "e"])
    for epoch in range(2):
        for batch in (rows[:20], rows[20:]):
            record.embedding("shop", batch, columns[batch], epoch)
            record.gradient("shop", batch, rng.normal(size=(20, 3)) / 9 - labels[batch, None], epoch)
        record._writer.flush()
        record.model("shop", lambda told: told * 2, epoch)
    record.message("bin-losses", "bank", "shop", rows[:20], {"loss": np.ones(20), "bins": np.ones((3, 2), int)}, 1)
    record.gradient("shop", rows, np.full((40, 3), np.nan), 2)  # left out, which the index says
    record.prediction(np.arange(40, 50), np.full((10, 2), 0.5))
    record.truth(labels=np.append(labels, np.zeros(10, dtype=int)), has=columns[:, 0] > 0)
    record.know_labels(per_class=3)
    record.know_values(count=8)
    record.know_property("a=high", holder="shop", rows=rows[:20], has=columns[:20, 0] > 0)
    record.close()
    return folder


def _ours(name: str, federation: str, settings: dict, adversary: str, properties: tuple, folder: Path) -> Path:
    data, attack = small_data("iris", adversary=(adversary,), properties=properties), built_attack(name)
    run = released(FEDERATIONS[federation](**settings), data)
    threat = threat_for(attack, (adversary,), asked=properties[0] if properties else None)
    knowledge = grant(data, threat, stream(0, "knowledge"))
    truth = truth_of(data, (adversary,), columns=attack.steals == "features", asked=threat.property)
    around = Surroundings(data="iris", federation=federation, parties=2, seed=0)
    write_run(RecordedRun(run.transcript, knowledge, truth, around), folder)
    return folder


def spoil(folder: Path, rng: np.random.Generator) -> str:
    """Change one thing, now and then two, and say what."""
    kinds = (_bytes, _json, _json, _json, _arrays, _arrays, _arrays, _references, _sizes, _files)
    return "; ".join(kinds[rng.integers(len(kinds))](folder, rng) for _ in range(1 + (rng.random() < 0.2)))


def _one(things: Any, rng: np.random.Generator) -> Any:
    found = list(things)
    return found[rng.integers(len(found))] if found else None


def _there(folder: Path, pattern: str) -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file() and not path.is_symlink())


def _bytes(folder: Path, rng: np.random.Generator) -> str:
    path = _one(_there(folder, "*"), rng)
    if path is None:
        return "nothing"
    content = bytearray(path.read_bytes())
    place = int(rng.integers(len(content) + 1))
    how = int(rng.integers(4))
    if how == 0:
        del content[place:]
    elif how == 1:
        content[place : place + 8] = rng.bytes(8)
    elif how == 2:
        content[:place] = b""
    else:
        content += rng.bytes(9)
    path.write_bytes(content)
    return f"bytes of {path.name}, {how} at {place}"


def _read(path: Path | None) -> Any:
    if path is None:
        return {}
    try:
        return json.loads(path.read_text())
    except ValueError:
        return {}


def _places(value: Any, at: tuple = ()) -> Iterator[tuple]:
    yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from _places(one, (*at, key))


def _json(folder: Path, rng: np.random.Generator) -> str:
    path = _one(_there(folder, "*.json"), rng)
    index = _read(path)
    at = _one([place for place in _places(index) if place], rng)
    if at is None:
        return "nothing"
    holder = index
    for key in at[:-1]:
        holder = holder[key]
    odd = _one(ODD, rng)
    how = int(rng.integers(6))
    if how == 0:
        del holder[at[-1]]
    elif how == 1 and isinstance(holder[at[-1]], list) and holder[at[-1]]:
        holder[at[-1]].append(_one(holder[at[-1]], rng))
    elif how == 2 and isinstance(holder, dict):
        holder[str(odd)] = holder.pop(at[-1])
    else:
        holder[at[-1]] = odd
    path.write_text(json.dumps(index))
    return f"{path.name} {at} {how} {odd!r}"


def _arrays(folder: Path, rng: np.random.Generator) -> str:
    path = _one(_there(folder, "*.safetensors"), rng)
    if path is None:
        return "nothing"
    try:
        arrays = dict(load_file(path))
    except (SafetensorError, ValueError):
        return "nothing"
    name = _one(sorted(arrays), rng)
    if name is None:
        return "nothing"
    array = arrays[name]
    float_ = array.astype(np.float64)
    changes = {
        "shorter": array[:-1], "longer": np.concatenate((array, array[:1])) if array.ndim else array, "none": array[:0],
        "flat": array.ravel(), "deeper": array[None], "transposed": array.T, "nan": float_ * np.nan,
        "infinite": float_ + np.inf, "huge": float_ * 1e300, "negative": -array if array.dtype.kind != "b" else array,
        "zero": np.zeros_like(array), "same": np.broadcast_to(array[:1], array.shape), "halves": float_ + 0.5,
        "small": array.astype(np.float32), "bytes": array.astype(np.uint8), "truths": array.astype(np.bool_),
        "large": array.astype(np.int64) + 10**int(rng.integers(1, 18)), "half": array.astype(np.float16),
        "mixed": rng.permutation(array.ravel()).reshape(array.shape), "wide": np.repeat(array, 3, axis=-1),
    }  # fmt: skip
    how = _one(sorted(changes), rng)
    arrays[name] = changes[how]
    if rng.random() < 0.1:
        del arrays[name]
        how = "gone"
    save_file({key: np.ascontiguousarray(value) for key, value in arrays.items()}, path)
    return f"{path.name} {name} {how}"


def _references(folder: Path, rng: np.random.Generator) -> str:
    path = _one(_there(folder, "transcript*.json"), rng)
    index = _read(path)
    lists = [index.get(name) for name in ("messages", "snapshots")] if isinstance(index, dict) else []
    entries = [one for told in lists if isinstance(told, list) for one in told if isinstance(one, dict)]
    one, other = _one(entries, rng), _one(entries, rng)
    if one is None:
        return "nothing"
    key = _one(sorted(set(one) & set(other)), rng)
    one[key], other[key] = other[key], one[key]
    path.write_text(json.dumps(index))
    return f"{path.name} swapped {key}"


def _sizes(folder: Path, rng: np.random.Generator) -> str:
    path = _one(_there(folder, "*.json"), rng)
    index = _read(path)
    ends = [at for at in _places(index) if at and isinstance(at[-1], str)]
    wanted = (
        "classes",
        "outputs",
        "epochs",
        "epoch",
        "step",
        "hidden",
        "inputs",
        "labels_per_class",
        "known_values",
        "batch",
    )
    at = _one([place for place in ends if place[-1] in wanted], rng)
    if at is None:
        return "nothing"
    holder = index
    for key in at[:-1]:
        holder = holder[key]
    size = int(10 ** int(rng.integers(3, 13)))
    holder[at[-1]] = [3] * 10 ** int(rng.integers(3, 7)) if at[-1] == "hidden" else size
    path.write_text(json.dumps(index))
    return f"{path.name} {at} {size}"


def _files(folder: Path, rng: np.random.Generator) -> str:
    path, other = (_one(_there(folder, "*"), rng) for _ in range(2))
    how = int(rng.integers(4))
    if path is None:
        return "nothing"
    if how == 0:
        path.unlink()
    elif how == 1 and path != other:
        content = path.read_bytes()
        shutil.copy(other, path)
        other.write_bytes(content)
    elif how == 2:
        path.unlink()
        path.symlink_to("/etc/passwd")
    else:
        path.unlink()
        path.mkdir()
    return f"{path.name} {how}"


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise where something computes for longer; how busy the machine is otherwise does not count."""

    def late(number: int, frame: Any) -> None:
        raise TimeoutError(f"{seconds} s are over")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def attacked(folder: Path, rng: np.random.Generator, names: Sequence[str] = ()) -> list[str]:
    """Read a recording as everybody, try two attacks as each (or those named), and return all but sentences."""
    try:
        with within(SECONDS):
            runs = read_runs(folder)
            if rng.random() < 0.3:
                str(check(folder))
            plans = [(run, [one for one in tried(run) if one.reason is None and one.name in QUICK]) for run in runs]
    except AuditError as error:
        return [] if 0 < len(str(error).splitlines()) <= 2 else [f"said at length: {error}"]
    wrong = []
    for run, plan in plans:
        for one in (
            [one for one in plan if one.name in names] if names else [_one(plan, rng) for _ in range(2)] if plan else ()
        ):
            try:
                with within(SECONDS):
                    finding = attack_run(run, one.attack, one.name).finding
                    finding.model_dump_json()
            except AuditError:
                continue
            if finding.status == "failed" and ("it raised" in str(finding.reason) or "Error" in str(finding.reason)):
                wrong.append(f"{one.name}: {finding.reason}")
    return wrong


def campaign(seed: int, count: int) -> list[str]:
    """Spoil so many recordings, one after the other, and return every one that broke something, and how."""
    rng, wrong = np.random.default_rng(seed), []
    warnings.simplefilter("ignore")
    with TemporaryDirectory() as home:
        kept = recordings(Path(home))
        for number in range(count):
            folder = Path(home) / "spoiled"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(kept[number % len(kept)], folder)
            place = kept[number % len(kept)].name
            told, before = spoil(folder, rng), len(wrong)
            try:
                wrong += [f"{number} {place}: {told} -> {said}" for said in attacked(folder, rng)]
            except BaseException:  # whatever it is, it is no sentence
                last = traceback.format_exc().strip().splitlines()
                wrong.append(f"{number} {place}: {told} -> {' | '.join(last[-7:])}")
            sys.stderr.writelines(f"{said}\n" for said in wrong[before:])
    return wrong


if __name__ == "__main__":
    os.nice(10)
    found = campaign(int(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps({"wrong": found, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
