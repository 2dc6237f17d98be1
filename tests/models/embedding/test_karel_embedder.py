"""`KarelEmbedder`: what its vectors depend on, that it learns, and what starts from an encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.metrics import silhouette_score

import taskspace as ts
from taskspace.agents.karel.network import Encoder, Size, Synthesizer
from taskspace.applications.soft_neighbours import soft_neighbours
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import EXAMPLES
from taskspace.envs.karel.generate import generate_tasks
from taskspace.envs.karel.worlds import to_tensor
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.success.karel_encoder import BATCH
from taskspace.torch_state import torch_seed
from tests.messages import says

pytestmark = pytest.mark.slow

SIDE = 6
SMALL: dict[str, Any] = {"side": SIDE, "channels": 4, "blocks": 1, "code": 16}
FAST: dict[str, Any] = {**SMALL, "steps": 5, "random_state": 0, "progress": False}
EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-5}  # single precision


@pytest.fixture(scope="module")
def tasks() -> KarelTasks:
    return generate_tasks(200, side=SIDE)[0]["training"]


@pytest.fixture(scope="module")
def few(tasks: KarelTasks) -> KarelTasks:
    """So few tasks that nothing is held out."""
    return tasks[:: len(tasks) // 50]


@pytest.fixture(scope="module")
def learned(few: KarelTasks) -> KarelEmbedder:
    settings = {**FAST, "steps": 150, "learning_rate": 1e-2}
    return KarelEmbedder(**settings).fit(outcomes_of(few))


def outcomes_of(tasks: KarelTasks) -> ts.Outcomes:
    """Each agent has a probability of success per type of program; some types are harder."""
    rng = np.random.default_rng(0)
    kinds, kind = np.unique(tasks.kinds, return_inverse=True)
    chances = (rng.uniform(0, 1, (30, len(kinds))) ** np.array([2, 1, 0.5]))[:, kind]
    return ts.Outcomes(rng.binomial(20, chances), 20, features=tasks.rows())  # type: ignore[arg-type]


def encoder(**size: Any) -> Encoder:
    """As if it had been trained."""
    with torch_seed(9):
        return Encoder(Size(**{**SMALL, **size}))


def weights(module: torch.nn.Module) -> list[Any]:
    return [value.clone() for value in module.state_dict().values()]


def same(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def with_examples(tasks: KarelTasks, order: Any) -> KarelTasks:
    inner = (tasks.sizes, tasks.heroes, tasks.walls, tasks.markers)
    return KarelTasks(tasks.tokens, *(part[:, order] for part in inner))


# -- the vectors -----------------------------------------------------------------------------------


def test_the_vector_is_a_perceptron_of_mean_and_maximum_of_codes(
    learned: KarelEmbedder, tasks: KarelTasks
) -> None:
    network: Any = learned.network_
    chosen = np.arange(0, len(tasks), 20)
    worlds = (tasks[chosen].inputs, tasks[chosen].outputs)
    grids = np.stack([to_tensor(world)[:, :5, :, : SIDE + 2, : SIDE + 2] for world in worlds], 2)
    first, _, last = ((p.detach().numpy() for p in layer.parameters()) for layer in network.head)
    (weight, bias), (out, shift) = first, last
    expected = []
    for grid in grids:
        codes = network.encoder(torch.from_numpy(grid[None]))[0].detach().numpy()
        pooled = np.concatenate([codes.mean(0), codes.max(0)])
        expected.append(out @ np.maximum(weight @ pooled + bias, 0) + shift)
    assert len(tasks) > BATCH
    vectors = learned.transform(tasks.rows())
    assert vectors.dtype == np.float64
    np.testing.assert_allclose(vectors[chosen], expected, **EXACT)


def test_neither_program_nor_sixth_example_counts(learned: KarelEmbedder, few: KarelTasks) -> None:
    turned = with_examples(few, [0, 1, 2, 3, 4, 0])
    other = KarelTasks(
        np.roll(few.tokens, 7, axis=0),
        *(getattr(turned, name) for name in ("sizes", "heroes", "walls", "markers")),
    )
    assert (other.rows() != few.rows()).any(1).all()
    vectors = learned.transform(few.rows())
    np.testing.assert_allclose(learned.transform(other.rows()), vectors, **EXACT)


def test_the_order_of_the_examples_does_not_count_but_each_of_them_does(
    learned: KarelEmbedder, few: KarelTasks
) -> None:
    vectors = learned.transform(few.rows())
    turned = with_examples(few, [3, 1, 4, 0, 2, 5])
    np.testing.assert_allclose(learned.transform(turned.rows()), vectors, **EXACT)
    for place in range(EXAMPLES - 1):
        order = np.where(np.arange(EXAMPLES) == place, EXAMPLES - 1, np.arange(EXAMPLES))
        moved = learned.transform(with_examples(few, order).rows()) - vectors
        assert (np.abs(moved).max(1) > 1e-3).mean() > 0.9


def test_equal_tasks_are_encoded_once_and_have_equal_vectors(
    learned: KarelEmbedder, few: KarelTasks
) -> None:
    network: Any = learned.network_
    seen = []
    hook = network.encoder.register_forward_hook(lambda *call: seen.append(len(call[2])))
    try:
        vectors = learned.transform(np.tile(few.rows(), (4, 1)))
    finally:
        hook.remove()
    assert sum(seen) == len(few)
    np.testing.assert_array_equal(vectors, np.tile(vectors[: len(few)], (4, 1)))  # copies


# -- learning --------------------------------------------------------------------------------------


def test_it_separates_kinds_of_programs_where_random_weights_do_not(
    learned: KarelEmbedder, few: KarelTasks
) -> None:
    random = KarelEmbedder(**{**FAST, "steps": 0}).fit(outcomes_of(few))
    before, after = (
        silhouette_score(e.transform(few.rows()), few.kinds) for e in (random, learned)
    )
    assert after > before + 0.25
    assert learned.test_scores_["similarity"] > random.test_scores_["similarity"] + 0.15
    assert random.history_["step"] == []


def test_the_same_seed_learns_the_same_bits(few: KarelTasks) -> None:
    outcomes = outcomes_of(few)
    before = torch.get_rng_state()
    one, other = (KarelEmbedder(**FAST).fit(outcomes).transform(few.rows()) for _ in "ab")
    np.testing.assert_array_equal(one, other)
    assert torch.equal(before, torch.get_rng_state())


def test_scores_are_those_of_all_vectors(learned: KarelEmbedder, few: KarelTasks) -> None:
    whole = ts.OrdinalEmbedder._accuracies(learned, few.rows(), learned.test_)
    assert learned.test_scores_ == pytest.approx(whole)
    assert learned.score(outcomes_of(few)) > 0.7


def test_learning_starts_from_an_encoder(few: KarelTasks) -> None:
    given = encoder()
    before = weights(given)
    outcomes = outcomes_of(few)
    first = KarelEmbedder(**{**FAST, "steps": 0}).fit(outcomes, encoder=given)
    assert same(weights(first.network_.encoder), before)  # type: ignore[arg-type]
    later = KarelEmbedder(**FAST).fit(outcomes, encoder=given)
    assert not same(weights(later.network_.encoder), before)  # type: ignore[arg-type]
    assert same(weights(given), before)
    again = KarelEmbedder(**{**FAST, "steps": 0}).fit(outcomes)  # the last one is forgotten
    assert not same(weights(again.network_.encoder), before)  # type: ignore[arg-type]


def test_a_frozen_encoder_stays_and_the_rest_learns(
    learned: KarelEmbedder, few: KarelTasks
) -> None:
    given: Any = learned.network_.encoder
    outcomes, settings = outcomes_of(few), {**FAST, "random_state": 1, "steps": 250}
    embedder = KarelEmbedder(**settings, freeze=True).fit(outcomes, encoder=given)
    assert same(weights(embedder.network_.encoder), weights(given))  # type: ignore[arg-type]
    # One random head on a trained encoder may be nearly as good by luck; four are not.
    random = [
        KarelEmbedder(**{**settings, "steps": 0, "random_state": seed}).fit(outcomes, encoder=given)
        for seed in range(4)
    ]
    for kind, score in embedder.test_scores_.items():
        assert score > np.mean([other.test_scores_[kind] for other in random]) + 0.07


def test_frozen_dimensions_may_be_found(few: KarelTasks) -> None:
    embedder = KarelEmbedder("auto", **{**FAST, "freeze": True})
    embedder.fit(outcomes_of(few), encoder=encoder())
    assert embedder.transform(few.rows()).shape == (len(few), embedder.n_components_)


# -- as the others ---------------------------------------------------------------------------------


@pytest.mark.parametrize("freeze", [False, True])
def test_save_and_load_give_the_same_bits(few: KarelTasks, tmp_path: Path, freeze: bool) -> None:
    embedder = KarelEmbedder(**FAST, freeze=freeze)
    embedder.fit(outcomes_of(few), encoder=encoder())
    embedder.save(tmp_path / "map")
    loaded = KarelEmbedder.load(tmp_path / "map")
    np.testing.assert_array_equal(loaded.transform(few.rows()), embedder.transform(few.rows()))
    assert loaded.get_params() == embedder.get_params()
    assert loaded.test_scores_ == embedder.test_scores_
    with pytest.raises(ValueError, match=says("KarelEmbedder OrdinalEmbedder")):
        ts.OrdinalEmbedder.load(tmp_path / "map")


def test_a_clone_learns_the_same(learned: KarelEmbedder, few: KarelTasks) -> None:
    assert clone(learned).get_params() == learned.get_params()
    short = KarelEmbedder(**FAST)
    rates = outcomes_of(few).rates.T
    one, other = (e.fit(few.rows(), rates).transform(few.rows()) for e in (short, clone(short)))
    np.testing.assert_array_equal(one, other)


def test_prediction_and_selection_work(learned: KarelEmbedder, few: KarelTasks) -> None:
    rows, solved = few.rows(), few.kinds == "plain"
    chances = soft_neighbours(learned, rows[::2], solved[::2], rows[1::2])
    assert chances[solved[1::2]].mean() > chances[~solved[1::2]].mean() + 0.3
    reference = int(np.argsort(learned.difficulty(rows))[len(rows) // 2])
    best = ts.select(learned, rows[reference], rows, harder=True)
    # In one call equal rows have equal vectors, so nothing is harder than itself.
    assert len(best) == len(rows) - 1 - len(rows) // 2
    assert reference not in best
    assert learned.similarity(rows[0], rows).shape == (1, len(rows))


# -- bad input -------------------------------------------------------------------------------------


def test_rows_of_something_else_are_refused(learned: KarelEmbedder, few: KarelTasks) -> None:
    rows = few.rows()
    outcomes = ts.Outcomes(np.ones((1, len(few)), np.int64), 1, features=rows[:, :9])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("Karel 1800 (53, 9)")):
        KarelEmbedder(**FAST).fit(outcomes)
    with pytest.raises(ValueError, match=says("9 KarelEmbedder 1800")):
        learned.transform(rows[:, :9])
    for wrong in (0.5, -1, 256):
        with pytest.raises(ValueError, match=says("Karel 0 255")):
            learned.transform(np.where(rows == rows[0, 0], np.float64(wrong), rows))
    with pytest.raises(ValueError, match="NaN"):
        learned.transform(np.where(rows == 0, np.nan, rows))
    np.testing.assert_array_equal(
        learned.transform(rows.astype(np.float64)), learned.transform(rows)
    )


def test_impossible_and_large_worlds_are_refused(learned: KarelEmbedder, few: KarelTasks) -> None:
    rows = few.rows()
    rows[3, -1] = 0xFF  # fifteen markers in a cell
    with pytest.raises(ValueError, match=says("outputs world 3 5")):
        learned.transform(rows)
    large = generate_tasks(20, side=SIDE + 2)[0]["training"]
    with pytest.raises(ValueError, match=says("side 8 6")):
        learned.transform(large.rows())


@pytest.mark.parametrize(
    ("settings", "given", "tokens"),
    [
        ({}, encoder(code=8), "encoder code=8 code=16"),
        ({}, encoder(side=7), "encoder side=7 side=6"),
        ({}, Synthesizer(Size(**SMALL)), "encoder Encoder Synthesizer"),
        ({"freeze": True}, None, "freeze encoder fit"),
        ({"channels": 0}, None, "channels 0"),
        ({"side": "six"}, None, "side 'six'"),
        ({"batch_size": 0}, None, "batch_size 0"),
    ],
)
def test_bad_settings_are_refused(
    few: KarelTasks, settings: dict[str, Any], given: Any, tokens: str
) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        KarelEmbedder(**{**FAST, **settings}).fit(outcomes_of(few), encoder=given)
