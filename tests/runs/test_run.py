"""A run folder: its parts belong together, and what is made of them later is kept."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.outcomes import tables
from taskspace.runs import layout
from taskspace.runs import run as run_module
from taskspace.runs.run import Run
from taskspace.similarity.estimates import estimates
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says
from tests.run_folders import write_run
from tests.tolerances import BITS


def outcomes(seed: int = 0) -> ts.Outcomes:
    rng = np.random.default_rng(seed)
    skills, levels = rng.normal(size=(30, 1)), np.linspace(-1, 1, 12)
    return ts.Outcomes(1 * (skills + rng.logistic(scale=0.3, size=(30, 12)) > levels), np.array(1))


def course(folder: Path, seed: int = 0) -> Run:
    known = outcomes(seed)
    embedder = ts.OrdinalEmbedder(2, steps=50, random_state=0, progress=False).fit(known)
    return write_run(folder, {"name": f"course-{seed}"}, known, embedder)


@pytest.fixture
def made(tmp_path: Path) -> Run:
    return course(tmp_path / "course")


def test_parts_are_loaded_when_asked_for(made: Run) -> None:
    again = ts.open_run(made.folder)
    assert set(vars(again)) == {"folder"}
    assert again.name == "course-0"
    np.testing.assert_array_equal(again.outcomes.successes, outcomes().successes)
    assert again.embedder.transform(["task-3"]).shape == (1, 2)
    assert "course-0" in repr(again)
    with pytest.raises(FileNotFoundError, match=says("finished results.json")):
        _ = again.results


@pytest.mark.parametrize("part", ["environment", "population"])
def test_a_table_has_neither_environment_nor_population(made: Run, part: str) -> None:
    assert made.from_table
    assert made.subpopulations is None
    with pytest.raises(ValueError, match=part):
        getattr(made, part)


PARTS = (layout.OUTCOMES, layout.EMBEDDER, layout.VECTORS, layout.CLUSTERS)


def copy_part(part: layout.Part, source: Path, target: Path) -> None:
    """Copy a result together with its stamp."""
    path = target / part.file
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    copy = shutil.copytree if (source / part.file).is_dir() else shutil.copyfile
    copy(source / part.file, path)
    shutil.copyfile(source / f"{part.stage}.json", target / f"{part.stage}.json")


@pytest.mark.parametrize(
    "chosen",
    [c for size in range(1, len(PARTS)) for c in itertools.combinations(PARTS, size)],
    ids=lambda chosen: "+".join(part.stage for part in chosen),
)
@pytest.mark.parametrize("same_settings", [True, False])
def test_a_mixture_of_two_runs_is_refused(
    chosen: tuple[layout.Part, ...], same_settings: bool, two_runs: dict[str, Path], tmp_path: Path
) -> None:
    mixed = tmp_path / "mixed"
    shutil.copytree(two_runs["one"], mixed)
    for part in chosen:
        copy_part(part, two_runs["same settings" if same_settings else "other settings"], mixed)

    def use_everything() -> None:
        run = ts.open_run(mixed)
        run.describe(np.arange(3))
        run.embedder.transform(["task-3"])

    with pytest.raises(ValueError, match="repeat the run"):
        use_everything()


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run, one of other agents with the same settings, and one with other settings."""
    folder = tmp_path_factory.mktemp("runs")
    made = {"one": course(folder / "one"), "other settings": course(folder / "other", seed=1)}
    known = outcomes(2)
    embedder = ts.OrdinalEmbedder(2, steps=50, random_state=0, progress=False).fit(known)
    made["same settings"] = write_run(folder / "same", {"name": "course-0"}, known, embedder)
    return {name: run.folder for name, run in made.items()}


@pytest.mark.parametrize("stamp", ["settings.json", "clusters.json", "outcomes.json"])
def test_the_stamp_of_another_stage_is_refused(made: Run, stamp: str) -> None:
    shutil.copyfile(made.folder / stamp, made.folder / "map.json")
    with pytest.raises(ValueError, match=says("map.json repeat")):
        _ = ts.open_run(made.folder).embedder


def test_outcomes_of_another_run_are_refused(made: Run, tmp_path: Path) -> None:
    other = course(tmp_path / "other", seed=1)
    shutil.copy(other.folder / "outcomes.npz", made.folder / "outcomes.npz")
    with pytest.raises(ValueError, match=r"outcomes\.npz"):
        _ = ts.open_run(made.folder).outcomes
    shutil.copy(other.folder / "outcomes.json", made.folder / "outcomes.json")  # its stamp, too
    with pytest.raises(ValueError, match="settings"):
        _ = ts.open_run(made.folder).outcomes
    with pytest.raises(ValueError, match="outcomes"):
        _ = ts.open_run(made.folder).embedder


def test_folders_of_the_first_edition_are_refused(made: Run) -> None:
    path = made.folder / "settings.json"
    old = json.loads(path.read_text())
    old["taskspace"] |= {"format version": 1, "version": "0.1.0"}
    path.write_text(json.dumps(old))
    with pytest.raises(ValueError, match=r"0\.1\.0"):
        ts.open_run(made.folder)


def test_damaged_folders_are_refused(made: Run, tmp_path: Path) -> None:
    shutil.copytree(made.folder, tmp_path / "run")
    (tmp_path / "run" / "embedder" / "embedder.json").write_text("{")
    with pytest.raises(ValueError, match=says(f"{tmp_path / 'run' / 'embedder'}")):
        _ = ts.open_run(tmp_path / "run").embedder


def test_there_must_be_a_map(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        ts.open_run(tmp_path)


# -- similar tasks ---------------------------------------------------------------------------------


def described() -> ts.Outcomes:
    """Outcomes on tasks with a level and a skill as features."""
    rng = np.random.default_rng(0)
    levels, need = rng.normal(size=60), np.arange(60) % 2
    rates = 1 / (1 + np.exp(-3 * (rng.normal(size=(30, 2))[:, need] - levels)))
    features = np.column_stack([levels, need])
    return ts.Outcomes(rng.binomial(5, rates), np.array(5), features=features)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """An information map with a success model, one of a table, and an ordinal map."""
    with_features = described()
    table = ts.Outcomes(with_features.successes, with_features.rollouts)
    model = ts.SuccessModel(width=16, epochs=1, random_state=0, progress=False)
    embedders: dict[str, Any] = {
        "model": (with_features, ts.TaskEmbedder(2, model=model)),
        "table": (table, ts.TaskEmbedder(2, random_state=0)),
        "ordinal": (with_features, ts.OrdinalEmbedder(2, steps=50, random_state=0)),
    }
    folder = tmp_path_factory.mktemp("runs")
    return {
        name: write_run(folder / name, {"name": name}, known, embedder.fit(known))
        for name, (known, embedder) in embedders.items()
    }


def test_similarities_are_those_of_the_success_model(runs: dict[str, Run]) -> None:
    made, tasks = runs["model"], described().task_inputs
    assert made.model is made.embedder.model_  # type: ignore[attr-defined]
    predicted = made.model.predict_proba(tasks)
    np.testing.assert_array_equal(made.comparison.predict_proba(tasks), predicted)  # type: ignore[union-attr]
    assert made.profiles is not None
    np.testing.assert_array_equal(made.profiles, predicted.astype(np.float32))
    exact = made.model.similarity(tasks[7], tasks)[0]
    np.testing.assert_allclose(made.similarities(7), exact, atol=BITS)
    np.testing.assert_allclose(made.similarities(tasks[7]), exact, atol=BITS)  # as a new task
    assert not (made.folder / "success-model").exists()  # the map has it already


def test_scores_come_from_results_not_from_the_success_model(runs: dict[str, Run]) -> None:
    made = runs["model"]
    for run in (made, ts.open_run(made.folder)):  # fitted, and loaded from the folder
        assert run.predictor.model_ is not None
        assert run.predictor.population_ is not None
        np.testing.assert_allclose(run.predictor.population_.rates, made.outcomes.rates, rtol=1e-6)


@pytest.mark.parametrize("name", ["table", "ordinal"])
def test_without_a_success_model_they_are_those_of_the_outcomes(
    runs: dict[str, Run], name: str
) -> None:
    made = runs[name]
    assert made.profiles is None
    assert made.comparison is made.reader
    expected = estimates(SuccessStatistics.from_outcomes(made.outcomes))[7]
    np.testing.assert_allclose(made.similarities(7), np.maximum(expected, 0), atol=BITS)


def test_a_new_task_of_an_ordinal_map_is_compared_by_its_vector(runs: dict[str, Run]) -> None:
    made, task = runs["ordinal"], np.array([0.3, 1.0])
    expected = made.embedder.similarity(task, made.outcomes.task_inputs)[0]
    np.testing.assert_allclose(made.similarities(task), expected, rtol=1e-4, atol=1e-5)
    found, scores = made.similar(task, 4)
    assert found.tolist() == np.argsort(-made.similarities(task), kind="stable")[:4].tolist()
    assert (np.diff(scores) <= 0).all()


@pytest.mark.parametrize("name", ["model", "table", "ordinal"])
@pytest.mark.parametrize("sign", [0, 1, -1])
def test_the_most_similar_tasks_are_those_of_a_full_sort(
    runs: dict[str, Run], name: str, sign: int
) -> None:
    made = runs[name]
    bits, hard = made.similarities(7), made.embedder.difficulty(made.outcomes.task_inputs)
    fitting = [
        (-bits[task], task)
        for task in range(60)
        if task != 7 and (sign == 0 or sign * (hard[task] - hard[7]) > 0)
    ]
    found, scores = made.similar(7, 5, harder=sign > 0, easier=sign < 0)
    assert found.tolist() == [task for _, task in sorted(fitting)[:5]]
    np.testing.assert_array_equal(scores, bits[found])


@pytest.mark.parametrize("name", ["model", "ordinal"])
def test_a_new_task_has_a_difficulty_of_its_own(runs: dict[str, Run], name: str) -> None:
    made, task = runs[name], described().task_inputs[7]
    own = made.embedder.difficulty(task)[0]
    assert 7 in made.similar(task, 60)[0]
    found, _ = made.similar(task, 60, harder=True)
    assert 0 < len(found) < 60
    assert (made.index.difficulty[found] > own).all()


def test_pairs_that_too_few_agents_tried_are_not_similar(tmp_path: Path) -> None:
    known = outcomes()
    rollouts = np.ones((30, 12), np.uint8)
    rollouts[:15, :2], rollouts[15:, 2] = 0, 0  # tasks 0 and 1 have no agents in common with 2
    sparse = ts.Outcomes(known.successes * rollouts, rollouts)
    embedder = ts.TaskEmbedder(2, random_state=0).fit(sparse)
    made = write_run(tmp_path / "run", {"name": "gaps"}, sparse, embedder)
    assert np.isnan(made.similarities(2)[:2]).all()
    found, scores = made.similar(2, 12)
    assert sorted(found) == [*range(3, 12)]
    assert np.isfinite(scores).all()


def test_bad_questions_are_refused(runs: dict[str, Run]) -> None:
    with pytest.raises(ValueError, match=says("harder easier")):
        runs["table"].similar(0, harder=True, easier=True)
    with pytest.raises(ValueError, match=says("k 0")):
        runs["table"].similar(0, 0)


def test_points_are_directions_only_on_an_information_map(runs: dict[str, Run]) -> None:
    for name, made in runs.items():
        lengths = np.linalg.norm(made.points, axis=1)
        assert (np.abs(lengths - 1).max() < 1e-5) == (name != "ordinal")


def test_vectors_are_stored_with_difficulties(runs: dict[str, Run]) -> None:
    for made in runs.values():
        tasks = made.outcomes.task_inputs
        for found in (made.vectors, made.variant().vectors):  # from the folder, and computed
            np.testing.assert_array_equal(found["vectors"], made.embedder.transform(tasks))
            np.testing.assert_array_equal(found["difficulty"], made.embedder.difficulty(tasks))
        np.testing.assert_array_equal(made.index.difficulty, made.vectors["difficulty"])


# -- what is made when it is first asked for -------------------------------------------------------


def test_the_second_time_reads_what_the_first_made(
    made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, layouts = made.predictor.posterior_, made.layouts
    monkeypatch.setattr(run_module, "project", lambda vectors: pytest.fail("made again"))
    monkeypatch.setattr(ts.PerformancePredictor, "fit", lambda *_: pytest.fail("made again"))
    again = ts.open_run(made.folder)
    second = again.predictor.posterior_
    np.testing.assert_array_equal(first.profiles, second.profiles)
    np.testing.assert_array_equal(first.prior, second.prior)
    assert (first.temper, first.strength) == (second.temper, second.strength)
    for name, points in layouts.items():
        np.testing.assert_array_equal(points, again.layouts[name])


def test_a_predictor_of_an_earlier_version_has_scores_too(
    made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, load = made.predictor.score(["task-0"], [1]), ts.PerformancePredictor.load

    def without(*arguments: Any, **options: Any) -> ts.PerformancePredictor:
        found = load(*arguments, **options)
        found.population_, found.labels_ = None, {}
        return found

    monkeypatch.setattr(ts.PerformancePredictor, "load", without)
    found = ts.open_run(made.folder).predictor.score(["task-0"], [1])
    np.testing.assert_allclose(found.scores, expected.scores)


@pytest.mark.slow
def test_what_is_kept_is_for_this_run_alone(made: Run, tmp_path: Path) -> None:
    other = course(tmp_path / "other", seed=1)
    expected, _ = made.predictor.posterior_, other.predictor
    path = made.folder / "predictor.npz"
    kept = path.read_bytes()
    for wrong in (b"", kept[: len(kept) // 2], (other.folder / "predictor.npz").read_bytes()):
        path.write_bytes(wrong)
        found = ts.open_run(made.folder).predictor.posterior_
        np.testing.assert_array_equal(found.profiles, expected.profiles)
        assert path.read_bytes() == kept  # and is written again


def test_a_folder_that_cannot_be_written_will_do(
    made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(ts.PerformancePredictor, "save", full)
    assert len(made.predictor.posterior_.profiles) == 12
    assert not (made.folder / "predictor.npz").exists()


def test_a_success_model_comes_with_the_run(made: Run) -> None:
    assert made.model.predict_proba(["task-0"]).shape == (30, 1)
    assert (made.folder / "success-model").is_dir()


@pytest.mark.slow
def test_a_variant_lives_in_memory(made: Run) -> None:
    few = made.outcomes.of_agents(made.outcomes.agents[:10])
    variant = made.variant(outcomes=few)
    assert (variant.outcomes.n_agents, made.outcomes.n_agents) == (10, 30)
    assert variant.embedder is made.embedder
    _ = made.predictor  # which is kept, and must not be taken for that of the variant
    # The other candidates: simulated agents and skill levels, and agents on the map if it helps.
    others = [
        len(run.predictor.posterior_.prior) - run.outcomes.n_agents for run in (variant, made)
    ]
    assert {*others} <= {1000, 1900}
    with pytest.raises(ValueError, match="clusters"):
        _ = variant.clusters
    assert ts.open_run(made.folder).outcomes.n_agents == 30


def test_reports_are_copied_and_maps_exported(made: Run, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="report"):
        made.report()
    assert made.export(tmp_path / "map.csv") == [tmp_path / "map.csv"]
    assert "task-7" in (tmp_path / "map.csv").read_text()
    assert made.export(tmp_path / "map.html") == [tmp_path / "map.html"]
    assert "<!doctype html>" in (tmp_path / "map.html").read_text()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Run:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(20, seed=0)
    solved = np.random.default_rng(0).integers(0, 2, (10, 20))
    known = ts.Outcomes(
        solved, np.array(1), features=tasks, feature_names=tuple(c.name for c in env.columns)
    )
    embedder = ts.OrdinalEmbedder(2, steps=0, random_state=0).fit(known)
    folder = tmp_path_factory.mktemp("runs") / "keys"
    return write_run(folder, {"environment": "MultiKeyNav"}, known, embedder)


@pytest.mark.parametrize("value", [77, 1e308, np.nan, np.inf])
def test_tasks_of_an_environment_are_checked_by_it(keys: Run, value: float) -> None:
    assert keys.outcomes.features is not None
    rows = keys.outcomes.features[:3].copy()
    np.testing.assert_array_equal(keys.check_tasks(rows), rows)
    columns = dict(zip(keys.outcomes.feature_names, rows.T, strict=True))
    np.testing.assert_array_equal(keys.tasks_in(tables.read(columns)), rows)
    rows[1, 0] = value
    for ask in (
        lambda: keys.check_tasks(rows),
        lambda: keys.similarities(rows[1]),
        lambda: keys.similar(rows[1], 3),
    ):
        with pytest.raises(ValueError, match=says("must")):
            ask()
    if np.isfinite(value):
        with pytest.raises(ValueError, match=says("1 location")):
            keys.tasks_in(tables.read({**columns, "location": rows[:, 0]}))


def test_a_known_name_with_the_features_of_another_task_is_refused(keys: Run) -> None:
    assert keys.outcomes.features is not None
    rows = keys.outcomes.features[:3].copy()
    columns = {
        "task": ["task-0", "task-1", "new"],
        **dict(zip(keys.outcomes.feature_names, rows.T, strict=True)),
    }
    place = rows[:, 0]
    for fine in (place * (1 + 1e-7), [float(f"{x:.4g}") for x in place], [*place[:2], 0.5]):
        found = keys.tasks_in(tables.read({**columns, "location": fine}))
        np.testing.assert_array_equal(found[:, 0], fine)
    wrong = f"'task-1' must location {place[1]:.6g} got {place[2]:.6g} name"
    with pytest.raises(ValueError, match=says(wrong)):
        keys.tasks_in(tables.read({**columns, "location": place[[0, 2, 1]]}))


def test_tasks_of_another_size_are_refused(keys: Run, made: Run) -> None:
    with pytest.raises(ValueError, match=says("(1, 2)")):
        keys.similar([0.5, 1.0])
    with pytest.raises(ValueError, match=says("features names")):
        made.similar([0.5, 1.0])
