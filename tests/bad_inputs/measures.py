"""Bad arguments of similarities and plots."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type,call-overload"

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import taskspace as ts
from taskspace.report import plots
from taskspace.similarity.estimates import estimates, pair_estimates
from taskspace.similarity.information import entropy, mutual_information, paired_similarity
from taskspace.similarity.profiles import profile_similarity
from taskspace.similarity.statistics import SuccessStatistics
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import ROWS, SOLVED, named


def _rates(rates: Any) -> Callable[[Path], Any]:
    return lambda _: SuccessStatistics.from_rates(rates)


def _ask(do: Callable[[SuccessStatistics], Any]) -> Callable[[Path], Any]:
    return lambda _: do(SuccessStatistics.from_outcomes(named()))


def _map(*arguments: Any, **more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.plot_map(*arguments, **more)


CALLS = [
    # -- similarities --------------------------------------------------------------------------
    Call("entropy: above 1", lambda _: entropy([0.5, 1.5]), "1.5"),
    Call("entropy: below 0", lambda _: entropy(-0.1), "-0.1"),
    Call("entropy: text", lambda _: entropy("half"), "'half'"),
    Call("entropy: None", lambda _: entropy(None), "None"),
    Call("mutual_information: above 1", lambda _: mutual_information(0.5, 2, 0.5), "first 2"),
    Call("mutual_information: more than each", lambda _: mutual_information(0.9, 0.5, 0.5),
         "both 0.9"),
    Call("mutual_information: text", lambda _: mutual_information("a", 0.5, 0.5), "both 'a'"),
    Call("paired_similarity: other lengths", lambda _: paired_similarity([1, 0], [1]), "2 1"),
    Call("paired_similarity: nothing", lambda _: paired_similarity([], []), "0"),
    Call("paired_similarity: rates", lambda _: paired_similarity([0.3, 0.7], [1, 0]), "first 0.3"),
    Call("paired_similarity: text", lambda _: paired_similarity(["0", "1"], [1, 0]), "first"),
    Call("paired_similarity: NaN", lambda _: paired_similarity([np.nan, 1], [1, 0]), "first"),
    Call("profile_similarity: measure", lambda _: profile_similarity(ROWS, ROWS, "cosine"),
         "measure 'cosine'"),
    Call("profile_similarity: lists", lambda _: profile_similarity([1, 0], [1, 0]), "first (2,)"),
    Call("profile_similarity: other agents", lambda _: profile_similarity(ROWS, ROWS[:5]), "12 5"),
    Call("profile_similarity: above 1", lambda _: profile_similarity(ROWS * 9, ROWS), "first"),
    Call("from_rates: above 1", _rates([[2, 0]]), "rates 2"),
    Call("from_rates: NaN", _rates([[np.nan, 0]]), "rates NaN"),
    Call("from_rates: one dimension", _rates([1, 0]), "rates (2,)"),
    Call("from_rates: None", _rates(None), "rates None"),
    Call("from_rates: text", _rates([["a"]]), "rates"),
    Call("from_outcomes: an array", lambda _: SuccessStatistics.from_outcomes(SOLVED),
         "outcomes int64"),
    Call("from_outcomes: a task that nobody tried", lambda _: SuccessStatistics.from_outcomes(
        ts.Outcomes(np.array([[1, 0]]), np.array([[1, 0]]))), "task-1"),
    Call("pairs: out of range", _ask(lambda s: s.pairs([0], [99])), "second 99"),
    Call("pairs: below 0", _ask(lambda s: s.pairs([-1], [0])), "first -1"),
    Call("pairs: fractions", _ask(lambda s: s.pairs([0.5], [1])), "first 0.5"),
    Call("pairs: names", _ask(lambda s: s.pairs(["item 0"], ["item 1"])), "first"),
    Call("pairs: other lengths", _ask(lambda s: s.pairs([0, 1], [1])), "2 1"),
    Call("correlation: out of range", _ask(lambda s: s.correlation([0], [99])), "second 99"),
    Call("together: out of range", _ask(lambda s: s.together([0], [99])), "second 99"),
    Call("matrix: out of range", _ask(lambda s: s.matrix([99])), "rows 99"),
    Call("matrix: a number", _ask(lambda s: s.matrix(0)), "rows list 0"),
    Call("matrix: measure", _ask(lambda s: s.matrix(measure="cosine")), "measure 'cosine'"),
    Call("estimates: measure", _ask(lambda s: estimates(s, measure="cosine")), "measure 'cosine'"),
    Call("pairs: measure", _ask(lambda s: s.pairs([0], [1], "cosine")), "measure 'cosine'"),
    Call("pair_estimates: measure", _ask(lambda s: pair_estimates(s, [0], [1], "cosine")),
         "measure 'cosine'"),
    Call("most_similar: measure", _ask(lambda s: s.most_similar(1, measure="cosine")),
         "measure 'cosine'"),
    Call("estimates: out of range", _ask(lambda s: estimates(s, [0], [-5])), "columns -5"),
    Call("most_similar: k 0", _ask(lambda s: s.most_similar(0)), "k 0"),
    Call("most_similar: k too large", _ask(lambda s: s.most_similar(12)), "k 12"),
    Call("most_similar: out of range", _ask(lambda s: s.most_similar(1, [99])), "tasks 11"),
    Call("most_similar: fractions", _ask(lambda s: s.most_similar(1, [0.5])), "tasks 0.5"),
    # -- plots ---------------------------------------------------------------------------------
    Call("plot_map: None", _map(None), "coordinates None"),
    Call("plot_map: three columns", _map(np.ones((3, 3))), "coordinates (3, 3)"),
    Call("plot_map: NaN", _map([[0, np.nan]]), "coordinates NaN"),
    Call("plot_map: text", _map([["a", "b"]]), "coordinates"),
    Call("plot_map: outcomes", lambda _: ts.plot_map(named()), "coordinates"),
    Call("plot_map: difficulty too short", _map(ROWS, difficulty=[1]), "difficulty 12 (1,)"),
    Call("plot_map: names of a figure", _map(ROWS, names=["a"] * 12), "names interactive"),
    Call("plot_map: too few names", _map(ROWS, interactive=True, names=["a"]), "names 12 1"),
    Call("plot_map: a name", _map(ROWS, interactive=True, names="a"), "names list"),
    Call("plot_map: labels", _map(ROWS, interactive=True, labels={"l": [1]}), "'l' 12 1"),
    Call("plot_map: difficulty below 0", _map(ROWS[:1], difficulty=[-1]), "difficulty -1"),
    Call("plot_map: clusters names", _map(ROWS[:1], clusters=["a"]), "clusters"),
    Call("plot_map: clusters fractions", _map(ROWS[:1], clusters=[0.5]), "clusters"),
    Call("plot_map: clusters below 0", _map(ROWS[:1], clusters=[-1]), "clusters"),
    Call("plot_map: cluster names too few", _map(ROWS[:1], clusters=[3], cluster_names=["a"]),
         "3 1"),
    Call("plot_map: cluster names None", _map(ROWS[:1], clusters=[0], cluster_names=None),
         "names None"),
    Call("plot_map: cluster names a text", _map(ROWS[:1], clusters=[0], cluster_names="easy"),
         "names 'easy'"),
    Call("plot_map: numbers text", _map(ROWS[:1], numbers=["a"]), "numbers"),
    Call("plot_map: numbers too few", _map(ROWS, numbers=[1]), "numbers 12 (1,)"),
    Call("plot_map: ax a text", _map(ROWS, ax="left"), "ax 'left'"),
    Call("plot_success: above 1", lambda _: plots.plot_success([1], [2], "x"), "success"),
    Call("plot_success: other lengths", lambda _: plots.plot_success([1], [0, 1], "x"), "1 (2,)"),
    Call("plot_success: None", lambda _: plots.plot_success(None, [0], "x"), "values None"),
    Call("plot_similarity: not square",
         lambda _: plots.plot_similarity(np.ones((2, 3)), [0, 0], ["a"]), "matrix (2, 3)"),
    Call("plot_similarity: text", lambda _: plots.plot_similarity([["a"]], [0], ["a"]), "matrix"),
    Call("plot_learning_curve: None", lambda _: plots.plot_learning_curve(None), "history None"),
    Call("plot_learning_curve: without losses", lambda _: plots.plot_learning_curve({"step": [1]}),
         "history loss"),
    Call("plot_skills: other lengths", lambda _: plots.plot_skills(["a"], [0, 1], [0]), "steps 1"),
    Call("plot_skills: None", lambda _: plots.plot_skills(None, [0], [0]), "None"),
    Call("plot_histogram: above 1", lambda _: plots.plot_histogram([0.5, 7], "x", "n"), "7"),
    Call("plot_histogram: text", lambda _: plots.plot_histogram(["a"], "x", "n"), "values"),
    Call("plot_histogram: NaN", lambda _: plots.plot_histogram([np.nan], "x", "n"), "values NaN"),
    Call("plot_spectrum: text", lambda _: plots.plot_spectrum(["a"], 1), "values"),
    Call("plot_spectrum: NaN", lambda _: plots.plot_spectrum([np.nan], 1), "values NaN"),
    Call("plot_spectrum: kept", lambda _: plots.plot_spectrum([1.0], -1), "kept -1"),
    Call("plot_accuracy: no curves", lambda _: plots.plot_accuracy([1], {}), "curve none"),
    Call("plot_accuracy: other lengths",
         lambda _: plots.plot_accuracy([1, 2], {"a": ([1], [1])}), "a 2 (1,)"),
    Call("plot_reliability: none", lambda _: plots.plot_reliability({}), "curve none"),
    Call("plot_reliability: two rows", lambda _: plots.plot_reliability({"a": [[1], [1]]}),
         "a (2, 1)"),
    Call("plot_reliability: ragged", lambda _: plots.plot_reliability({"a": [[1], [1, 2], [1]]}),
         "a"),
    Call("plot_selection: none", lambda _: plots.plot_selection([], [], [], [], []), "method none"),
    Call("plot_selection: other lengths",
         lambda _: plots.plot_selection(["a"], [1, 2], [1], [1], [1]), "top1 1 (2,)"),
]  # fmt: skip
