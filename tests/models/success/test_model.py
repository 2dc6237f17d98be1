"""`SuccessModel`: accurate probabilities, also on new tasks, and scikit-learn conventions."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from taskspace.models.folders import ModelFolder
from taskspace.models.success.low_rank import fit_low_rank
from taskspace.models.success.model import SuccessModel
from taskspace.models.success.scores import scores
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.information import mutual_information
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says

FAST: dict[str, Any] = {
    "width": 32, "blocks": 1, "batch_size": 64, "epochs": 1, "random_state": 0, "progress": False,
}  # fmt: skip


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


def chances(tasks: NDArray[np.float64], agents: int = 12) -> NDArray[np.float64]:
    """Success is likely at one side of a line, which each agent draws elsewhere."""
    lines = np.linspace(0.2, 0.8, agents)[:, None]
    return np.where(tasks[:, 0] < lines, 0.9, 0.2 + 0.3 * tasks[:, 1])


def world(tasks: int = 3000, rollouts: Any = 2, seed: int = 0) -> Outcomes:
    rng = np.random.default_rng(seed)
    features = rng.uniform(size=(tasks, 2))
    truth = chances(features)
    tried = np.broadcast_to(rollouts, truth.shape)
    return table(rng.binomial(tried, truth), tried, features=features)


FRESH = np.random.default_rng(99).uniform(size=(400, 2))


@pytest.fixture(scope="module")
def fitted() -> SuccessModel:
    return SuccessModel(**FAST).fit(world())


@pytest.fixture(scope="module")
def named() -> SuccessModel:
    return SuccessModel(random_state=0).fit(table(world(40).successes, 2))


def test_profiles_are_near_the_truth_on_tasks_never_tried(fitted: SuccessModel) -> None:
    profiles = fitted.predict_proba(FRESH)
    assert profiles.shape == (12, 400)
    assert profiles.dtype == np.float64
    assert np.sqrt(np.square(profiles - chances(FRESH)).mean()) < 0.08
    assert fitted.agents_.tolist() == [f"agent-{number}" for number in range(12)]


@pytest.mark.slow
def test_a_line_is_resolved_where_tasks_are_on_both_sides_of_it() -> None:
    places = np.linspace(0, 1, 4000)[:, None]
    narrow = ((places > 0.4) & (places < 0.43)).T
    outcomes = table(np.concatenate([narrow, ~narrow]).astype(int), 1, features=places)
    found = (
        SuccessModel(**{**FAST, "epochs": 10})
        .fit(outcomes)
        .predict_proba([[0.39], [0.415], [0.44]])
    )
    np.testing.assert_allclose(found, [[0, 1, 0], [1, 0, 1]], atol=0.05)


def test_held_out_tasks_say_how_good_it_is(fitted: SuccessModel) -> None:
    found = fitted.test_scores_
    truth = chances(FRESH)
    entropy = -(truth * np.log(truth) + (1 - truth) * np.log1p(-truth)).mean()
    assert found["log_loss"] == pytest.approx(entropy, abs=0.05)
    assert found["log_loss"] < found["agent_mean_log_loss"] - 0.1
    assert found["brier"] == pytest.approx((truth * (1 - truth)).mean(), abs=0.02)
    assert found["calibration_error"] < 0.04
    assert json.loads(json.dumps(found)) == found


def test_what_was_held_out_is_known_and_the_sample_is_of_other_tasks(fitted: SuccessModel) -> None:
    features = world().features
    assert features is not None
    assert len(np.unique(fitted.held_out_)) == 300
    assert fitted.sample_.shape == (1000, 2)
    tested = {tuple(row) for row in features[fitted.held_out_]}
    assert not tested & {tuple(row) for row in fitted.sample_}


def test_difficulty_and_similarity_follow_from_profiles(fitted: SuccessModel) -> None:
    some, others = FRESH[:6], FRESH[6:10]
    p, q = fitted.predict_proba(some), fitted.predict_proba(others)
    np.testing.assert_allclose(fitted.difficulty(some), 1 - p.mean(0))
    expected = mutual_information(p.T @ q / len(p), p.mean(0)[:, None], q.mean(0))
    np.testing.assert_allclose(fitted.similarity(some, others), expected, atol=1e-5)
    matrix = SuccessStatistics.from_rates(p).matrix()
    np.testing.assert_allclose(fitted.similarity(some), matrix, atol=1e-6)
    np.testing.assert_allclose(fitted.similarity(some, some), matrix, atol=1e-6)


def test_one_task_is_a_row_of_its_own(fitted: SuccessModel) -> None:
    np.testing.assert_allclose(fitted.predict_proba(FRESH[0]), fitted.predict_proba(FRESH[:1]))
    assert fitted.similarity(FRESH[0], FRESH[1]).shape == (1, 1)


@pytest.mark.slow
def test_pairs_never_tried_count_for_nothing() -> None:
    rng = np.random.default_rng(1)
    tried = rng.integers(0, 4, (12, 3000)) * (rng.random((12, 3000)) < 0.7)
    tried[:, 7] = 0  # a task that nobody tried
    outcomes = world(rollouts=tried)
    model = SuccessModel(**FAST).fit(outcomes)
    assert np.abs(model.predict_proba(FRESH) - chances(FRESH)).mean() < 0.06


@pytest.mark.slow
def test_the_features_of_a_task_that_nobody_tried_do_not_matter() -> None:
    outcomes, far = world(310), world(310).features
    assert far is not None
    far[7] = 1e9
    tried = np.full((12, 310), 2)
    tried[:, 7] = 0
    solved = np.where(tried, outcomes.successes, 0)
    one, other = (
        SuccessModel(**FAST).fit(table(solved, tried, features=features)).predict_proba(FRESH)
        for features in (outcomes.features, far)
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_scores_may_be_fractions() -> None:
    features = world().features
    assert features is not None
    model = SuccessModel(**FAST).fit(table(chances(features), 1, features=features))
    assert np.abs(model.predict_proba(FRESH) - chances(FRESH)).mean() < 0.05


@pytest.mark.slow
def test_the_same_seed_learns_the_same_bits_and_touches_no_other_randomness() -> None:
    torch.manual_seed(5)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    one, other = (SuccessModel(**FAST).fit(world(300)) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(FRESH), other.predict_proba(FRESH))
    assert one.test_scores_ == other.test_scores_
    assert torch.equal(before, torch.get_rng_state())
    assert torch.get_num_threads() == threads


@pytest.mark.slow
def test_codes_are_stored_or_computed_at_every_step_with_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = SuccessModel(**FAST).fit(world(400))
    monkeypatch.setattr("taskspace.models.success.model.MOST_STORED", 0)
    computed = SuccessModel(**FAST).fit(world(400))
    np.testing.assert_array_equal(stored.predict_proba(FRESH), computed.predict_proba(FRESH))
    assert stored.history_ == computed.history_


def test_clones_are_unfitted_and_settings_kept(fitted: SuccessModel) -> None:
    assert clone(fitted).get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        clone(fitted).predict_proba(FRESH)


# -- few tasks -------------------------------------------------------------------------------------


def ramp(tasks: int = 60, slope: float = 3.0, seed: int = 0) -> tuple[Outcomes, Outcomes]:
    """Few tasks whose only feature makes them easier for all, and many others like them."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(tasks + 2000, 1))
    truth = 1 / (1 + np.exp(rng.normal(size=(8, 1)) - slope * features[:, 0]))
    solved = rng.binomial(1, truth)
    few, many = slice(tasks), slice(tasks, None)
    return (
        table(solved[:, few], 1, features=features[few]),
        table(solved[:, many], 1, features=features[many]),
    )


def log_loss_on(model: SuccessModel, others: Outcomes) -> float:
    chances = model.predict_proba(others.features)
    return scores(chances, chances, *map(np.asarray, (others.successes, others.rollouts)))[
        "log_loss"
    ]


@pytest.fixture(scope="module")
def linear() -> SuccessModel:
    with pytest.warns(UserWarning, match=says("60 tasks few cross-validated")):
        return SuccessModel(**FAST).fit(ramp()[0])


@pytest.fixture(scope="module")
def means() -> SuccessModel:
    with (
        pytest.warns(UserWarning, match=says("60 tasks few cross-validated")),
        pytest.warns(UserWarning, match=says("features beyond means")),
    ):
        return SuccessModel(**FAST).fit(ramp(slope=0)[0])


def test_a_linear_model_predicts_from_few_tasks_and_says_how_well(linear: SuccessModel) -> None:
    assert linear.kind_ == "linear"
    found = log_loss_on(linear, ramp()[1])
    assert found < linear.test_scores_["agent_mean_log_loss"] - 0.1
    assert found == pytest.approx(linear.test_scores_["log_loss"], abs=0.1)
    assert linear.held_out_.shape == (0,)
    assert linear.sample_.shape == (60, 1)


def test_features_that_say_nothing_leave_the_means_of_agents(means: SuccessModel) -> None:
    assert means.kind_ == "means"
    few = ramp(slope=0)[0]
    rates = (few.successes.sum(1) + 1) / (few.rollouts.sum(1) + 2)
    np.testing.assert_allclose(means.predict_proba([[-3.0], [5.0]]), np.stack([rates] * 2, 1), 1e-5)
    assert means.test_scores_["log_loss"] == means.test_scores_["agent_mean_log_loss"]


@pytest.mark.slow
def test_a_network_is_chosen_if_no_line_can_do_it() -> None:
    rng = np.random.default_rng(0)
    features = rng.uniform(-1, 1, (90, 1))
    solved = np.repeat(np.abs(features.T) < 0.5, 20, axis=0)
    with pytest.warns(UserWarning, match=says("90")):
        model = SuccessModel(**FAST).fit(table(4 * solved, 4, features=features))
    assert model.kind_ == "network"
    assert model.predict_proba([[0.0], [0.9]])[:, 0].min() > 0.8
    assert model.predict_proba([[0.0], [0.9]])[:, 1].max() < 0.3
    assert model.history_["step"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_columns_of_bytes_and_pairs_never_tried_are_no_trouble() -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (20, 3)).astype(np.uint8)
    solved = np.stack([bits[:, 0], 1 - bits[:, 0]])
    tried = 9 * (rng.random(solved.shape) < 0.8)
    model = SuccessModel(**FAST).fit(table(tried * solved, tried, features=bits))
    np.testing.assert_allclose(model.predict_proba(bits), solved, atol=0.2)
    assert model.test_scores_["log_loss"] < 0.3


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("tasks", [1, 3])
def test_a_handful_of_tasks_gives_means(tasks: int) -> None:
    model = SuccessModel(**FAST).fit(table(np.ones((2, tasks), int), 1, features=FRESH[:tasks]))
    assert model.kind_ == "means"
    np.testing.assert_allclose(model.predict_proba(FRESH[:4]), (tasks + 1) / (tasks + 2), 1e-5)
    # Each task is predicted from the others, and a single one from nothing.
    left = tasks - 1
    assert model.test_scores_["log_loss"] == pytest.approx(-np.log((left + 1) / (left + 2)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_choosing_touches_no_other_randomness(linear: SuccessModel) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    again = SuccessModel(**FAST).fit(ramp()[0])
    assert torch.equal(before, torch.get_rng_state())
    np.testing.assert_array_equal(again.predict_proba([[0.3]]), linear.predict_proba([[0.3]]))


# -- without features ------------------------------------------------------------------------------


def test_without_features_profiles_are_those_of_the_low_rank_model(named: SuccessModel) -> None:
    outcomes = table(world(40).successes, 2)
    seed = int(np.random.default_rng(0).integers(2**31))
    expected = fit_low_rank(outcomes, seed=seed).profiles
    np.testing.assert_array_equal(named.predict_proba(["task-7", "task-3"]), expected[:, [7, 3]])
    np.testing.assert_allclose(named.difficulty("task-7"), 1 - expected[:, [7]].mean(0))
    assert named.similarity(["task-1", "task-2"], outcomes.tasks).shape == (2, 40)
    assert named.test_scores_["log_loss"] < named.test_scores_["agent_mean_log_loss"]


def test_small_tables_are_no_trouble() -> None:
    model = SuccessModel(random_state=0).fit(table([[1, 0], [2, 2]], 2, tasks=["a", "b"]))
    assert model.predict_proba(["b"]).shape == (2, 1)
    assert set(model.test_scores_) == {
        "log_loss", "agent_mean_log_loss", "brier", "calibration_error",
    }  # fmt: skip


def test_unknown_tasks_are_refused(fitted: SuccessModel, named: SuccessModel) -> None:
    with pytest.raises(ValueError, match=says("'nowhere' 40")):
        named.predict_proba(["task-1", "nowhere"])
    with pytest.raises(ValueError, match=says("features names (400, 2)")):
        named.predict_proba(FRESH)
    with pytest.raises(ValueError, match=says("features row name")):
        fitted.predict_proba(["task-1"])
    with pytest.raises(ValueError, match=says("features 5 2")):
        fitted.predict_proba(np.ones((3, 5)))


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["fitted", "named", "linear", "means"])
def test_save_and_load_give_the_same_bits(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    model: SuccessModel = request.getfixturevalue(kind)
    model.save(tmp_path / "model")
    model.save(tmp_path / "model")  # replaces itself
    before = torch.get_rng_state()
    loaded = SuccessModel.load(tmp_path / "model")
    assert torch.equal(before, torch.get_rng_state())
    tasks: Any = ["task-5", "task-0"] if kind == "named" else FRESH[:, : model.n_features_in_]
    np.testing.assert_array_equal(model.predict_proba(tasks), loaded.predict_proba(tasks))
    assert loaded.get_params() == model.get_params()
    assert loaded.test_scores_ == model.test_scores_
    assert loaded.agents_.tolist() == model.agents_.tolist()
    np.testing.assert_array_equal(loaded.sample_, model.sample_)
    if kind != "named":
        assert loaded.kind_ == model.kind_
        np.testing.assert_array_equal(loaded.held_out_, model.held_out_)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@contextlib.contextmanager
def saved_arrays(fitted: SuccessModel, folder: Path) -> Iterator[dict[str, Any]]:
    """The arrays of a saved model, which are saved again with what is changed in them."""
    fitted.save(folder)
    file = ModelFolder("success model", "success-model.json", version=1)
    settings = file.load_settings(folder)
    tensors = file.load_arrays(folder, settings)
    yield tensors
    file.save(folder, settings, tensors)


def test_folders_that_do_not_say_what_was_held_out_are_read(
    fitted: SuccessModel, tmp_path: Path
) -> None:
    with saved_arrays(fitted, tmp_path / "model") as tensors:
        del tensors["held_out"]
    loaded = SuccessModel.load(tmp_path / "model")
    assert loaded.held_out_.shape == (0,)
    np.testing.assert_array_equal(loaded.predict_proba(FRESH), fitted.predict_proba(FRESH))


def test_weights_of_another_shape_are_said_to_be_of_another_version(
    fitted: SuccessModel, tmp_path: Path
) -> None:
    with saved_arrays(fitted, tmp_path / "model") as tensors:
        matrix = next(name for name, tensor in tensors.items() if tensor.ndim == 2)
        tensors[matrix] = tensors[matrix][:, :-1].copy()
    with pytest.raises(ValueError, match=says(f"{tmp_path / 'model'} another version")):
        SuccessModel.load(tmp_path / "model")


@pytest.mark.parametrize("name", ["success-model.json", "weights.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "flip", "missing", "foreign"])
def test_damaged_files_are_refused(
    fitted: SuccessModel, tmp_path: Path, name: str, damage: str
) -> None:
    fitted.save(tmp_path / "model")
    path = tmp_path / "model" / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        flipped = content[:2] + bytes([content[2] ^ 0xFF]) + content[3:]
        half = content[: len(content) // 2]
        path.write_bytes({"cut": half, "flip": flipped, "foreign": b"{}"}[damage])
    lost = damage == "missing" and name == "success-model.json"
    error = FileNotFoundError if lost else ValueError
    with pytest.raises(error, match=says(str(tmp_path / "model"))):
        SuccessModel.load(tmp_path / "model")


def test_a_setting_that_is_gone_counts_as_damage(fitted: SuccessModel, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    path = tmp_path / "model" / "success-model.json"
    settings = json.loads(path.read_text())
    del settings["agents"]
    path.write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=says("success-model.json checksum")):
        SuccessModel.load(tmp_path / "model")


def test_a_folder_of_something_else_is_not_overwritten(
    fitted: SuccessModel, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=says(str(tmp_path))):
        fitted.save(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_unfitted_model_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        SuccessModel().save(tmp_path / "model")


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({"width": 0}, "width 0"),
        ({"blocks": -1}, "blocks -1"),
        ({"bins": 0}, "bins 0"),
        ({"batch_size": 1.5}, "batch_size 1.5"),
        ({"epochs": "many"}, "epochs 'many'"),
        ({"learning_rate": 0}, "learning_rate 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        SuccessModel(**settings).fit(world(20))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows_that_are_not_finite_are_refused_in_one_sentence(
    fitted: SuccessModel, bad: float
) -> None:
    rows = FRESH[:3].copy()
    rows[1, 0] = bad
    tokens = "tasks finite row 1"
    for ask in (fitted.predict_proba, fitted.difficulty, fitted.similarity):
        with pytest.raises(ValueError, match=says(tokens)):
            ask(rows)


def test_bad_data_are_refused() -> None:
    with pytest.raises(ValueError, match=says("Outcomes ndarray")):
        SuccessModel().fit(np.ones((3, 3)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("agent-1 task")):
        SuccessModel().fit(table([[1, 1], [0, 0]], [[1, 1], [0, 0]], features=[[0.0], [1.0]]))


def test_odd_tasks_and_settings_work(tmp_path: Path) -> None:
    model = SuccessModel(width=np.int64(8), epochs=0, random_state=0).fit(world(300))  # type: ignore[arg-type]
    tasks = FRESH[:5]
    backwards = model.predict_proba(tasks[::-1])
    np.testing.assert_allclose(backwards, model.predict_proba(tasks)[:, ::-1], atol=1e-6)
    far = model.predict_proba([[1e30] * tasks.shape[1], [-1e99] * tasks.shape[1]])
    assert np.isfinite(far).all()
    model.save(tmp_path / "model")
    assert SuccessModel.load(tmp_path / "model").width == 8
    (tmp_path / "model" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=says(str(tmp_path / "model"))):
        model.save(tmp_path / "model")
    assert (tmp_path / "model" / "notes.txt").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({"random_state": -1}, "seed -1"),
        ({"learning_rate": np.inf}, "learning_rate"),
        ({"learning_rate": 1e30}, "diverged learning_rate"),
    ],
)
def test_what_cannot_be_learned_with_is_told(settings: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        SuccessModel(**settings).fit(world(300))


# -- returns ---------------------------------------------------------------------------------------


def _played(tasks: int = 400, attempts: int = 3, **scale: Any) -> tuple[Any, Outcomes]:
    """Expected returns of agents with two skills, and outcomes with noise."""
    rng = np.random.default_rng(0)
    rows, skills = rng.uniform(-1, 1, (tasks, 2)), rng.normal(size=(20, 2))
    p = 1 / (1 + np.exp(-2 * (skills @ rows.T) - rows[:, 0]))
    drawn = 300 * rng.beta(9 * p[..., None], 9 * (1 - p[..., None]), (20, tasks, attempts)) - 200
    spreads = drawn.std(2, ddof=1)
    made = Outcomes.from_returns(drawn.mean(2), attempts, spreads=spreads, features=rows, **scale)
    return 300 * p - 200, made


def test_expected_returns_are_learned_from_features(tmp_path: Path) -> None:
    truth, outcomes = _played()
    model = SuccessModel(width=32, epochs=5, random_state=0).fit(outcomes)
    assert outcomes.features is not None
    found = model.expected_returns(outcomes.features)
    plain = np.abs(truth - truth.mean(1, keepdims=True)).mean()
    assert np.abs(found - truth).mean() < plain / 3
    assert model.dispersion_ == pytest.approx(0.1, abs=0.03)
    assert model.misfit_ is not None
    assert model.misfit_ < 0.1
    model.save(tmp_path / "model")
    again = SuccessModel.load(tmp_path / "model")
    assert (again.expected_returns(outcomes.features) == found).all()
    assert (again.dispersion_, again.misfit_) == (model.dispersion_, model.misfit_)
    few = outcomes.features[:5]
    assert (again.similarity(few) == model.similarity(few)).all()


def test_difficulty_of_returns_follows_the_scale() -> None:
    kinds: list[dict[str, Any]] = [{}, {"best": 150.0}, {"success": 0.0}]
    for known in kinds:
        _, outcomes = _played(tasks=40, **known)
        with pytest.warns(UserWarning, match="few"):
            model = SuccessModel(random_state=0, epochs=1).fit(outcomes)
        assert outcomes.features is not None
        profiles = model.predict_proba(outcomes.features)
        assert outcomes.scale is not None
        expected = outcomes.scale.difficulty(profiles)
        np.testing.assert_allclose(model.difficulty(outcomes.features), expected)


def test_a_table_of_returns_has_a_range_per_task(tmp_path: Path) -> None:
    truth, _ = _played(tasks=30, attempts=5)
    wide = truth * np.linspace(1, 9, 30)
    given = Outcomes.from_returns(wide, 5, spreads=np.full(wide.shape, 20.0))
    model = SuccessModel(random_state=0).fit(given)
    found = model.expected_returns(["task-3", "task-29"])
    assert np.corrcoef(found[:, 1], wide[:, 29])[0, 1] > 0.95
    model.save(tmp_path / "model")
    assert (SuccessModel.load(tmp_path / "model").expected_returns([3, 29]) == found).all()


def test_models_of_successes_have_no_expected_returns() -> None:
    model = SuccessModel(random_state=0).fit(table([[1, 0, 1], [0, 0, 1]], 1))
    with pytest.raises(ValueError, match=says("expected_returns() returns successes")):
        model.expected_returns([0])


def test_a_best_return_per_task_does_not_hold_for_new_tasks() -> None:
    _, outcomes = _played(tasks=40)
    each = replace(outcomes, scale=None).by_return(best=np.full(40, 200.0))
    with pytest.raises(ValueError, match=says("best features 40")):
        SuccessModel().fit(each)
