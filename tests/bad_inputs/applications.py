"""Bad arguments of predictions, quizzes, selections and searches."""

# Wrong types are the point.
# mypy: disable-error-code="arg-type, call-overload"

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

import taskspace as ts
from taskspace.files import seal, write_arrays
from tests.bad_inputs.cases import Call
from tests.bad_inputs.subjects import (
    FEATURES,
    NAMES,
    ROWS,
    SOLVED,
    TASKS,
    cut,
    featured,
    featured_map,
    featured_model,
    model_predictor,
    named,
    named_map,
    named_model,
    predictor,
    saved,
    written,
)

FRAME = pd.DataFrame(ROWS, columns=list(FEATURES))


def _predict(
    quiz: Any = ("item 0", "item 1"), results: Any = (1, 0), tasks: Any = ("item 2",), **more: Any
) -> Callable[[Path], Any]:
    listed = [list(part) if isinstance(part, tuple) else part for part in (quiz, results, tasks)]
    return lambda _: ts.predict(predictor(), *listed, **more)


def _from(source: Any, **more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.predict(source, ["item 0"], [1], ["item 1"], **more)


def _quiz(source: Any = None, *targets: Any, **settings: Any) -> Callable[[Path], Any]:
    return lambda _: ts.Quiz(predictor() if source is None else source, *targets, **settings)


def _ask(do: Callable[[ts.Quiz], Any]) -> Callable[[Path], Any]:
    return lambda _: do(ts.Quiz(predictor()))


def _index(*arguments: Any, **more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.TaskIndex(*arguments, **more)


def _find(*arguments: Any, **more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.TaskIndex(ROWS, NAMES).similar(*arguments, **more)


def _select(*arguments: Any, **more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.select(named_map(), *arguments, **more)


def _select_rows(*arguments: Any, **more: Any) -> Callable[[Path], Any]:
    return lambda _: ts.select(featured_map(), *arguments, **more)


def _finished(quiz: ts.Quiz) -> Any:
    for _ in range(TASKS + 1):
        quiz.next()
        quiz.answer(1)


def _unanswered(quiz: ts.Quiz) -> Any:
    return list(quiz.ask(at_most=3))


def _of_parts(**arrays: Any) -> Callable[[Path], Any]:
    """A sealed file with the right format and these parts."""

    def load(folder: Path) -> Any:
        path = folder / "a.npz"
        write_arrays({"format": np.array(["taskspace predictor", "1"]), **arrays}, path)
        seal(path)
        return ts.PerformancePredictor.load(path)

    return load


CALLS = [
    Call("choose_subset: k 0", lambda _: ts.choose_subset(named(), 0), "k positive 0"),
    Call("choose_subset: all tasks", lambda _: ts.choose_subset(named(), TASKS), "k 12"),
    Call("choose_subset: a fraction", lambda _: ts.choose_subset(named(), 1.5), "k 1.5"),
    Call("choose_subset: a number", lambda _: ts.choose_subset(5, 3), "Outcomes 5", TypeError),
    Call("choose_subset: no label", lambda _: ts.choose_subset(named(), 3, by="x"), "by 'x'"),
    Call("choose_subset: by a number", lambda _: ts.choose_subset(named(), 3, by=5), "by 5"),
    Call("choose_subset: seed", lambda _: ts.choose_subset(named(), 3, seed=-1), "seed -1"),
    Call("choose_subset: progress", lambda _: ts.choose_subset(named(), 3, progress=7),
         "progress 7"),
    # -- predict -------------------------------------------------------------------------------
    Call("predict: from a number", _from(5), "source int", TypeError),
    Call("predict: from None", _from(None), "source NoneType", TypeError),
    Call("predict: from a map", lambda folder: _from(named_map())(folder), "source TaskEmbedder",
         TypeError),
    Call("predict: from a class", _from(ts.PerformancePredictor), "source", TypeError),
    Call("predict: from an array", _from(SOLVED), "source ndarray", TypeError),
    Call("predict: from a success model that is not fitted", _from(ts.SuccessModel()),
         "source fitted SuccessModel", TypeError),
    Call("predict: from a predictor that is not fitted", _from(ts.PerformancePredictor()),
         "fitted", NotFittedError),
    Call("predict: quiz None", _predict(None), "quiz None"),
    Call("predict: quiz a text", _predict("item 0"), "quiz 'item 0'"),
    Call("predict: quiz a dict", _predict({"item 0": 1, "item 1": 0}), "quiz"),
    Call("predict: quiz a set", _predict({"item 0", "item 1"}), "quiz"),
    Call("predict: quiz unknown", _predict(("item 0", "x")), "quiz 'x' 12"),
    Call("predict: quiz of fractions", _predict((0.5, 1.5)), "quiz 0.5"),
    Call("predict: quiz of features", _predict(ROWS[:2]), "quiz features"),
    Call("predict: quiz of mixed types", _predict((0, "item 1")), "quiz 0 'item 1'"),
    Call("predict: quiz position too large", _predict((0, 99)), "quiz 99"),
    Call("predict: quiz ragged", _predict([["item 0"], ["item 1", "item 2"]]), "quiz"),
    Call("predict: results None", _predict(results=None), "results None"),
    Call("predict: results too few", _predict(results=[1]), "results 1 2"),
    Call("predict: results a number", _predict(results=1), "results ()"),
    Call("predict: results outside", _predict(results=[1, 2]), "results 2"),
    Call("predict: results percent", _predict(results=[90, 10]), "results 90"),
    Call("predict: results below 0", _predict(results=[1, -1]), "results -1"),
    Call("predict: results infinity", _predict(results=[1, np.inf]), "results inf"),
    Call("predict: results text", _predict(results=["yes", "no"]), "results numbers"),
    Call("predict: results numbers as text", _predict(results=["1", "0"]), "results numbers"),
    Call("predict: results text objects", _predict(results=np.array(["1", "0"], object)),
         "results numbers"),
    Call("predict: results complex", _predict(results=[1j, 0]), "results numbers"),
    Call("predict: results a table", _predict(results=[[1, 0]]), "results (1, 2)"),
    Call("predict: results a dict", _predict(results={"item 0": 1}), "results numbers"),
    Call("predict: results masked", _predict(results=np.ma.masked_array([1, 0], [0, 1])),
         "results mask"),
    Call("predict: results in another order",
         _predict(results=pd.Series({"item 1": 0, "item 0": 1})), "results order 'item 1'"),
    Call("predict: tasks None", _predict(tasks=None), "tasks None"),
    Call("predict: tasks a text", _predict(tasks="item 2"), "tasks 'item 2'"),
    Call("predict: tasks unknown", _predict(tasks=["x"]), "tasks 'x'"),
    Call("predict: tasks below 0", _predict(tasks=[-1]), "tasks -1"),
    Call("predict: tasks booleans", _predict(tasks=[True]), "tasks True"),
    Call("predict: tasks a generator", _predict(tasks=(name for name in NAMES)), "tasks"),
    Call("predict: arguments swapped", _predict([1, 0], ["item 0", "item 1"]), "results numbers"),
    Call("predict: interval 0", _predict(interval=0), "interval 0"),
    Call("predict: interval 1", _predict(interval=1), "interval 1"),
    Call("predict: interval 90", _predict(interval=90), "interval 90"),
    Call("predict: interval NaN", _predict(interval=np.nan), "interval nan"),
    Call("predict: interval text", _predict(interval="0.9"), "interval '0.9'"),
    Call("predict: interval a list", _predict(interval=[0.5, 0.9]), "interval [0.5, 0.9]"),
    Call("predict: interval True", _predict(interval=True), "interval True"),
    Call("predict: a map for a fitted predictor", lambda folder: _predict(embedder=named_map())(
        folder), "embedder before"),
    Call("predict: a map that is none",
         lambda _: ts.predict(featured(), ROWS[:1], [1], ROWS[1:], embedder="map"),
         "embedder 'map'"),
    Call("predict: a map that is not fitted",
         lambda _: ts.predict(named(), ["item 0"], [1], ["item 1"], embedder=ts.TaskEmbedder()),
         "fitted", NotFittedError),
    Call("predict: a map of other tasks",
         lambda _: ts.predict(named(), ["item 0"], [1], ["item 1"], embedder=featured_map()),
         "features"),
    Call("predict: new features without a map",
         lambda _: ts.predict(featured(), ROWS[:1], [1], ROWS + 9), "tasks new embedder"),
    Call("predict: a feature too few",
         lambda _: ts.predict(featured(), ROWS[:1], [1], ROWS[:, :1]), "tasks 2 1"),
    Call("predict: NaN in features",
         lambda _: ts.predict(featured_model(), ROWS[:1], [1], [[np.nan, 1]]), "tasks NaN"),
    Call("predict: a DataFrame without a feature",
         lambda _: ts.predict(featured_model(), ROWS[:1], [1], FRAME[["width"]]), "height"),
    # -- PerformancePredictor --------------------------------------------------------------------
    Call("predictor: random_state", lambda _: ts.PerformancePredictor(random_state=-1).fit(named()),
         "seed -1"),
    Call("predictor: not fitted", lambda _: ts.PerformancePredictor().predict_proba([], [], []),
         "fitted", NotFittedError),
    Call("predictor.numbers: not fitted", lambda _: ts.PerformancePredictor().numbers(["a"]),
         "fitted", NotFittedError),
    Call("predictor.number: not fitted", lambda _: ts.PerformancePredictor().number("a"), "fitted",
         NotFittedError),
    Call("predictor.number: a fraction", lambda _: predictor().number(0.5), "task 0.5"),
    Call("predictor.number: None", lambda _: predictor().number(None), "task None"),
    Call("predictor.numbers: unknown", lambda _: predictor().numbers(["x"]), "tasks 'x'"),
    Call("predictor: a map beside a success model",
         lambda _: ts.PerformancePredictor(embedder=named_map()).fit(named_model()), "embedder"),
    Call("predictor.interval: level", lambda _: predictor().interval([], [], ["item 0"], 95), "95"),
    Call("predictor.weights: prior of another size",
         lambda _: predictor().weights(["item 0"], [1], prior=np.ones(3) / 3), "prior (3,)"),
    Call("predictor.over: of outcomes", lambda _: predictor().over(ROWS), "SuccessModel"),
    Call("predictor.over: too few names", lambda _: model_predictor().over(ROWS, ["a"]),
         "names 1 12"),
    Call("predictor.over: names twice", lambda _: model_predictor().over(ROWS, ["a"] * TASKS),
         "names 1 12"),
    Call("predictor.over: None", lambda _: model_predictor().over(None), "tasks ()"),
    Call("predictor.over: ragged", lambda _: model_predictor().over([[1, 2], [3]]), "equal"),
    Call("predictor.over: a feature too few", lambda _: model_predictor().over(ROWS[:, :1]), "2 1"),
    Call("predictor.save: not fitted",
         lambda folder: ts.PerformancePredictor().save(folder / "a.npz"), "fitted", NotFittedError),
    Call("predictor.save: None", lambda _: predictor().save(None), "path None", TypeError),
    Call("predictor.save: a folder", lambda folder: predictor().save(folder), "folder",
         IsADirectoryError),
    Call("predictor.load: None", lambda _: ts.PerformancePredictor.load(None), "path None",
         TypeError),
    Call("predictor.load: missing", lambda folder: ts.PerformancePredictor.load(folder / "a.npz"),
         "a.npz", FileNotFoundError),
    Call("predictor.load: half of it",
         lambda folder: ts.PerformancePredictor.load(cut(saved(predictor(), folder / "a.npz"))),
         "damaged"),
    Call("predictor.load: a pickle",
         lambda folder: ts.PerformancePredictor.load(written(folder / "a", pickle.dumps([1]))),
         "predictor"),
    Call("predictor.load: outcomes",
         lambda folder: ts.PerformancePredictor.load(saved(named(), folder / "a.npz")),
         "predictor"),
    Call("predictor.load: without its model",
         lambda folder: ts.PerformancePredictor.load(saved(model_predictor(), folder / "a.npz")),
         "model"),
    Call("predictor.load: the model of other tasks",
         lambda folder: ts.PerformancePredictor.load(
             saved(model_predictor(), folder / "a.npz"), model=named_model()), "model"),
    Call("predictor.load: parts missing", _of_parts(tasks=np.array(NAMES)), "damaged"),
    Call("predictor.load: parts of wrong shapes",
         _of_parts(tasks=np.array(NAMES), profiles=np.ones((3, 3), np.float32), prior=np.ones(5),
                   numbers=np.ones(2)), "damaged"),
    # -- Quiz ----------------------------------------------------------------------------------
    Call("quiz: from None", lambda _: ts.Quiz(None), "source NoneType", TypeError),
    Call("quiz: from a text", _quiz("results.csv"), "source str", TypeError),
    Call("quiz: from a predictor that is not fitted", _quiz(ts.PerformancePredictor()), "fitted",
         NotFittedError),
    Call("quiz: targets a text", _quiz(None, "item 0"), "targets 'item 0'"),
    Call("quiz: targets unknown", _quiz(None, ["x"]), "targets 'x'"),
    Call("quiz: targets none", _quiz(None, []), "targets empty"),
    Call("quiz: pool unknown", _quiz(pool=["x"]), "pool 'x'"),
    Call("quiz: pool none", _quiz(pool=[]), "pool empty"),
    Call("quiz: pool a number", _quiz(pool=3), "pool 3"),
    Call("quiz: pool features", _quiz(pool=ROWS), "pool features"),
    Call("quiz: choose", _quiz(choose="best"), "choose best information"),
    Call("quiz: choose None", _quiz(choose=None), "choose None"),
    Call("quiz: seed", _quiz(seed=-1), "seed -1"),
    Call("quiz: seed text", _quiz(seed="x"), "seed 'x'"),
    Call("quiz.answer: before next", _ask(lambda quiz: quiz.answer(1)), "next()"),
    Call("quiz.answer: 2", _ask(lambda quiz: quiz.answer(2, "item 0")), "result 2"),
    Call("quiz.answer: NaN", _ask(lambda quiz: quiz.answer(np.nan, "item 0")), "result NaN"),
    Call("quiz.answer: text", _ask(lambda quiz: quiz.answer("yes", "item 0")), "result 'yes'"),
    Call("quiz.answer: None", _ask(lambda quiz: quiz.answer(None, "item 0")), "result None"),
    Call("quiz.answer: a list", _ask(lambda quiz: quiz.answer([1], "item 0")), "result [1]"),
    Call("quiz.answer: an unknown task", _ask(lambda quiz: quiz.answer(1, "x")), "'x'"),
    Call("quiz.answer: a task of features", _ask(lambda quiz: quiz.answer(1, [0.5, 0.5])),
         "features"),
    Call("quiz.next: all asked", _ask(_finished), "12 asked"),
    Call("quiz.ask: no answer", _ask(_unanswered), "answer"),
    Call("quiz.ask: until 2", _ask(lambda quiz: quiz.ask(until=2)), "until 2"),
    Call("quiz.ask: until text", _ask(lambda quiz: quiz.ask(until="0.1")), "until '0.1'"),
    Call("quiz.ask: at_most", _ask(lambda quiz: quiz.ask(at_most=-1)), "at_most -1"),
    Call("quiz.ask: at_most a fraction", _ask(lambda quiz: quiz.ask(at_most=2.5)), "at_most 2.5"),
    Call("quiz.predict_proba: unknown", _ask(lambda quiz: quiz.predict_proba(["x"])), "'x'"),
    Call("quiz.predict_proba: none", _ask(lambda quiz: quiz.predict_proba([])), "empty"),
    Call("quiz.interval: 90", _ask(lambda quiz: quiz.interval(90)), "90"),
    Call("quiz.interval: None", _ask(lambda quiz: quiz.interval(None)), "None"),
    # -- select --------------------------------------------------------------------------------
    Call("select: from None", lambda _: ts.select(None, "item 0", NAMES), "source None"),
    Call("select: from outcomes", lambda _: ts.select(named(), "item 0", NAMES), "source"),
    Call("select: from a map that is not fitted",
         lambda _: ts.select(ts.TaskEmbedder(), [0.5, 0.5], ROWS), "fitted", NotFittedError),
    Call("select: an unknown reference", _select("x", NAMES), "'x'"),
    Call("select: a reference None", _select(None, NAMES), "reference None"),
    Call("select: several references", _select(["item 0", "item 1"], NAMES), "reference 2"),
    Call("select: options a text", _select("item 0", "item 1"), "options 'item 1'"),
    Call("select: options None", _select("item 0", None), "options None"),
    Call("select: no options", _select("item 0", []), "options empty"),
    Call("select: unknown options", _select("item 0", ["x"]), "'x'"),
    Call("select: features for names", _select([0.5, 0.5], ROWS), "reference"),
    Call("select: k 0", _select("item 0", NAMES, k=0), "k 0"),
    Call("select: k a fraction", _select("item 0", NAMES, k=1.5), "k 1.5"),
    Call("select: k text", _select("item 0", NAMES, k="3"), "k '3'"),
    Call("select: harder and easier", _select("item 0", NAMES, harder=True, easier=True), "both"),
    Call("select: names for features", _select_rows("item 0", NAMES), "reference"),
    Call("select: reference of NaN", _select_rows([np.nan, 1], ROWS), "reference NaN"),
    Call("select: options of another width", _select_rows(ROWS[0], ROWS[:, :1]), "options 2 1"),
    Call("select: options of three dimensions", _select_rows(ROWS[0], [ROWS]), "options (1, 12"),
    Call("select: options 1e308", _select_rows(ROWS[0], ROWS * 1e308), "1e+100"),
    Call("select: swapped", _select_rows(ROWS, ROWS[0]), "reference (12, 2)"),
    # -- TaskIndex -----------------------------------------------------------------------------
    Call("index: None", _index(None), "vectors None"),
    Call("index: empty", _index([]), "vectors (0,)"),
    Call("index: no columns", _index(np.ones((3, 0))), "vectors (3, 0)"),
    Call("index: NaN", _index([[1, np.nan]]), "vectors NaN"),
    Call("index: text", _index([["a", "b"]]), "vectors numbers"),
    Call("index: too large for single precision", _index([[1e300, 1]]), "vectors 1e+300"),
    Call("index: names too few", _index(ROWS, ["a"]), "names 1 12"),
    Call("index: names a text", _index(ROWS, "abc"), "names"),
    Call("index: difficulty too short", _index(ROWS, difficulty=[1]), "difficulty 1 12"),
    Call("index: difficulty NaN", _index(ROWS, difficulty=np.full(TASKS, np.nan)),
         "difficulty NaN"),
    Call("index.of: not fitted", lambda _: ts.TaskIndex.of(ts.TaskEmbedder(), ROWS), "fitted",
         NotFittedError),
    Call("index.of: a text", lambda _: ts.TaskIndex.of("map", ROWS), "embedder 'map'"),
    Call("similar: of another width", _find([1, 2, 3]), "vector 2 (3,)"),
    Call("similar: a name", _find("item 0"), "vector 'item 0'"),
    Call("similar: NaN", _find([1, np.nan]), "vector NaN"),
    Call("similar: huge", _find([1, 1e300]), "vector 1e+300"),
    Call("similar: k 0", _find([1, 1], 0), "k 0"),
    Call("similar: k below 0", _find([1, 1], -3), "k -3"),
    Call("similar: harder_than text", _find([1, 1], harder_than="x"), "harder_than 'x'"),
    Call("similar: harder_than NaN", _find([1, 1], harder_than=np.nan), "harder_than NaN"),
    Call("similar: easier_than a list", _find([1, 1], easier_than=[1]), "easier_than [1]"),
    Call("hardest: k", lambda _: ts.TaskIndex(ROWS).hardest(0), "k 0"),
    Call("hardest: k None", lambda _: ts.TaskIndex(ROWS).hardest(None), "k None"),
]  # fmt: skip
