"""Damaged files of every format: they are refused in one sentence, or no data is lost."""

from __future__ import annotations

import functools
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.cli import main
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import read_tasks, write_tasks
from taskspace.envs.karel.generate import generate_tasks
from taskspace.files import read_arrays, write_arrays, write_json
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.embedding.pred_model import PredModel, expert_episodes
from taskspace.models.embedding.random_model import RandomModel
from taskspace.paper.study import Study
from taskspace.runs.layout import Part
from taskspace.runs.stages import Stages
from tests.messages import says
from tests.run_folders import write_run

FLIPS = 40  # single bits, in random places of each file
RNG = np.random.default_rng(0)
ROLLOUTS = np.array(4, np.uint8)


@dataclass(frozen=True)
class Kind:
    """How a type of file or folder is written and read."""

    sample: Callable[[], Any]
    save: Callable[[Any, Path], object]
    load: Callable[[Path], Any]
    file: str = ""  # the one that is damaged, where it is a folder
    keep: Callable[[Any, Path], object] | None = None  # writes what was loaded, to compare it


def outcomes() -> ts.Outcomes:
    results = RNG.integers(0, 2, (6, 9, 4)).astype(bool)
    successes, features = results.sum(2), RNG.normal(size=(9, 3))
    return ts.Outcomes(
        successes, ROLLOUTS, features=features, steps=successes * 7, returns=successes / 8,
        results=results, info={"environment": "none"},
    )  # fmt: skip


def population() -> ts.Population:
    env = ts.make("MultiKeyNav")
    layers = [RNG.normal(size=shape).astype(np.float32) for shape in ((5, 7), (7, 5))]
    network = ts.MLPPolicy(layers, [np.zeros(5, np.float32), np.ones(7, np.float32)])
    return ts.Population({"network": network, "expert": ExpertPolicy(env)}, env.name)


def embedder() -> ts.OrdinalEmbedder:
    return ts.OrdinalEmbedder(2, hidden=(4,), steps=2, random_state=0).fit(outcomes())


def lookup() -> ts.OrdinalEmbedder:
    known = outcomes()
    plain = ts.Outcomes(known.successes, known.rollouts)
    return ts.OrdinalEmbedder(2, steps=2, random_state=0).fit(plain)


def pred_model() -> PredModel:
    env = ts.make("MultiKeyNav")
    episodes = expert_episodes(ExpertPolicy(env), env, 5)
    return PredModel(2, hidden=(4,), epochs=1, random_state=0).fit(episodes)


def random_model() -> RandomModel:
    return RandomModel(2, random_state=0).fit(outcomes())


def pretrained() -> ts.OrdinalEmbedder:
    return ts.load_pretrained("BasicKarel", "ordinal")


def success_model() -> ts.SuccessModel:
    return ts.SuccessModel(width=4, bins=4, epochs=0, random_state=0).fit(outcomes())


@functools.cache
def karel_tasks() -> KarelTasks:
    return generate_tasks(40, side=4)[0]["training"][:12]


def karel_embedder() -> KarelEmbedder:
    tasks = karel_tasks()
    known = ts.Outcomes(RNG.integers(0, 5, (6, len(tasks))), ROLLOUTS, features=tasks.rows())
    return KarelEmbedder(
        2, side=4, radius=3, channels=2, blocks=1, code=4, hidden=(4,), steps=0, random_state=0
    ).fit(known)


def read_run(folder: Path) -> Any:
    """The result of a run of one stage: what is there, or what is made again."""
    with Stages(folder, {"seed": 0, "name": "x"}, log=lambda line: None) as run:
        return run.stage(Part("view", "view.npz"), view, write_arrays, read_arrays)


def view() -> dict[str, Any]:
    return {"tasks": np.arange(6.0), "vectors": np.arange(6).reshape(3, 2)}


def read_rows(folder: Path) -> Any:
    rows = [{"name": "a", "score": 0.5}, {"name": "b", "score": None}]
    return Study(folder, log=lambda line: None).saved_rows("rows", {"seed": 0}, lambda: rows)


def read_lines(path: Path) -> Any:
    return list(read_tasks(path))


def model(sample: Callable[[], Any], load: Any, settings: str = "embedder.json") -> dict[str, Kind]:
    """Both files of a model's folder."""
    return {
        f"{sample.__name__}/{file}": Kind(sample, lambda it, path: it.save(path), load, file)
        for file in (settings, "weights.safetensors")
    }


def run(load: Any, keep: Any, *files: str) -> dict[str, Kind]:
    """Files of a run's folder, which is whole after the first reading."""
    return {
        file: Kind(lambda: None, lambda _, path: load(path), load, file, keep) for file in files
    }


KINDS = {
    "outcomes.npz": Kind(outcomes, ts.Outcomes.save, ts.Outcomes.load),
    "population.zip": Kind(population, ts.Population.save, ts.Population.load),
    "karel.npz": Kind(karel_tasks, KarelTasks.save, KarelTasks.load),
    "karel.jsonl": Kind(lambda: karel_tasks()[:2].records(), write_tasks, read_lines),
    "karel.jsonl.gz": Kind(lambda: karel_tasks()[:3].records(), write_tasks, read_lines),
    **model(embedder, ts.OrdinalEmbedder.load),
    **model(lookup, ts.OrdinalEmbedder.load),
    **model(pretrained, ts.OrdinalEmbedder.load),
    **model(random_model, RandomModel.load),
    **model(pred_model, PredModel.load),
    **model(karel_embedder, KarelEmbedder.load),
    **model(success_model, ts.SuccessModel.load, "success-model.json"),
    **run(read_run, write_arrays, "settings.json", "view.json", "view.npz"),
    **run(read_rows, write_json, "rows/settings.json", "rows/rows.json", "rows/result"),
}


def contents(path: Path) -> dict[Path, bytes]:
    """All files by their names within a folder, or the one file."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {file.relative_to(path): file.read_bytes() for file in files}


def other_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(10_000_000))
    return buffer.getvalue()


def other_arrays() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, header=np.array("[]"), successes=np.zeros(3))
    return buffer.getvalue()


FOREIGN = (
    b"", b"agent,task\na,b\n", b"{}", b"[]", b"null", b'{"format": []}', b"[" * 100_000,
    bytes(1000), b"\xff" * 1000, other_zip(), other_arrays(),
)  # fmt: skip


def damages(whole: bytes) -> Iterator[tuple[str, bytes]]:
    """Cut short, with a bit flipped, or another file altogether."""
    rng, size = np.random.default_rng(0), len(whole)
    for end in {1, size // 2, size - 1, *rng.integers(1, size, 8).tolist()}:
        yield f"cut at {end}", whole[:end]
    ends = [*range(4), *range(size - 4, size)]
    for place in [*rng.integers(0, size, FLIPS).tolist(), *ends]:
        bit = 1 << int(rng.integers(8))
        changed = bytes([whole[place] ^ bit])
        yield f"bit {bit} of byte {place}", whole[:place] + changed + whole[place + 1 :]
    for foreign in FOREIGN:
        yield f"{foreign[:20]!r}", foreign


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_damage_is_told_or_does_no_harm(name: str, tmp_path: Path) -> None:
    kind, path = KINDS[name], tmp_path / name.replace("/", "-")
    kind.save(kind.sample(), path)
    keep, again = kind.keep or kind.save, tmp_path / f"again{path.suffix}"
    keep(kind.load(path), again)
    intact, expected = contents(path), contents(again)
    for what, damaged in damages(intact[Path(kind.file)]):
        for file, content in {**intact, Path(kind.file): damaged}.items():
            (path / file).write_bytes(content)
        if loads(lambda: keep(kind.load(path), again), path, what):
            assert contents(again) == expected, what


def loads(load: Callable[[], object], path: Path, what: str) -> bool:
    """Whether it loads; if not, the error must be one sentence."""
    told = None
    try:
        load()
    except ValueError as error:
        told = str(error)
    assert told is None or (str(path) in told and "\n" not in told), what
    return told is None


def test_damage_is_told_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(tmp_path, {"name": "known"}, outcomes(), embedder())
    weights = tmp_path / "embedder" / "weights.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert main(["similar", str(tmp_path), "task-0"]) == 2
    told = capsys.readouterr().err
    tokens = f"{tmp_path / 'embedder'} damaged"
    assert re.search(f"^taskspace: {says(tokens)}", told)
    assert told.count("\n") == 1


def test_files_from_before_there_were_checksums_are_read(tmp_path: Path) -> None:
    known = outcomes()
    known.save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as file:
        np.savez(tmp_path / "old.npz", **dict(file))
    assert (ts.Outcomes.load(tmp_path / "old.npz").successes == known.successes).all()
    made = embedder()
    made.save(tmp_path / "map")
    path = tmp_path / "map" / "embedder.json"
    settings = json.loads(path.read_text())
    assert len(settings.pop("weights_sha256")) == len(settings.pop("sha256")) == 64
    path.write_text(json.dumps(settings))
    assert ts.OrdinalEmbedder.load(tmp_path / "map").get_params() == made.get_params()
