"""Early stopping inside Inspect: an evaluation ends when its score is known well enough."""

from __future__ import annotations

import importlib.util
import math
from typing import TYPE_CHECKING, Any

from taskspace import checks
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.stopping_rule import StoppingRule
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.collector import BENCHMARK, TEXT
from taskspace.outcomes.readers.inspect_logs import scores_of
from taskspace.outcomes.readers.scores import as_score
from taskspace.outcomes.readers.sheets import short_text

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore
    from inspect_ai.util import EarlyStop


class ScoreStopping:
    """Ends an evaluation in Inspect when the full score is known well enough.

    It implements the protocol `EarlyStopping` of Inspect: pass it to a `Task` as `early_stopping`.
    The results of earlier models on the same samples predict the score on all samples from those
    that are finished (`PerformancePredictor.score`). When the interval is narrow enough, the
    samples that have not begun are skipped. The estimate, with its interval, is in the log, under
    `results.early_stopping.metadata`; the metrics of Inspect are those of the finished samples.

    Samples are known by the names that `read_results` gives them, `<task>/<id>`. They run in the
    order of the data set; shuffle it if similar samples follow one another. An object serves one
    evaluation at a time.

    Args:
        earlier: The outcomes of earlier models, as `read_results` reads them, or a predictor
            fitted to them.
        half_width: Half of the width of the interval at which the evaluation ends, e.g. 0.02.
        level: The probability that the interval contains the full score. As an evaluation ends
            when its interval happens to be narrow, intervals are wider than those of `score`.
        metric: The scorer whose scores are meant, if there are several.

    Raises:
        ImportError: If Inspect is not installed.
        ValueError: If an argument is invalid.

    >>> from inspect_ai import Task  # doctest: +SKIP
    >>> earlier = ts.read_results("logs")  # doctest: +SKIP
    >>> Task(dataset, early_stopping=ScoreStopping(earlier, half_width=0.02))  # doctest: +SKIP
    """

    def __init__(
        self,
        earlier: Outcomes | PerformancePredictor,
        half_width: float,
        *,
        level: float = 0.9,
        metric: str | None = None,
    ) -> None:
        if importlib.util.find_spec("inspect_ai") is None:
            raise ImportError("Inspect is not installed: pip install 'taskspace[inspect]'")
        if not checks.number(half_width, "half_width") > 0:
            raise ValueError(f"half_width must be a positive number, got {half_width}")
        self.half_width, self.level, self.metric = float(half_width), level, metric
        self.predictor = (
            PerformancePredictor().fit(earlier) if isinstance(earlier, Outcomes) else earlier
        )
        self.predictor.score([], [], level=level)  # refuses a bad level and an unfitted predictor
        self._numbers = {name: number for number, name in enumerate(self.predictor.tasks_.tolist())}
        self._running = False

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Find the samples among the tasks of the earlier models.

        Args:
            task: The specification of the evaluation.
            samples: The samples that will be evaluated.
            epochs: The number of attempts at each sample.

        Returns:
            The name that the log gives to this kind of early stopping.

        Raises:
            ValueError: If a sample is unknown or has another text, or if another evaluation has
                begun and not ended.
        """
        if self._running:
            raise ValueError("a ScoreStopping must serve one evaluation at a time, got another one")
        self._running = True
        self._benchmark, self._attempts = task.task, len(samples) * epochs
        self._names = {str(sample.id): self._known(sample) for sample in samples}
        group = self._group_of(list(self._names.values()))
        self._rule = StoppingRule(
            self.predictor, self.half_width, level=self.level,
            by=None if group is None else BENCHMARK, value=group,
        )  # fmt: skip
        return "taskspace"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Skip a sample if the score is known well enough.

        Args:
            id: The identifier of the sample.
            epoch: The number of the attempt.

        Returns:
            The reason to skip it, or None to evaluate it.
        """
        if not self._rule.reached:
            return None
        from inspect_ai.util import EarlyStop

        reason = f"the score is known within {self.half_width:g} at level {self.level:g}"
        return EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        """Take account of the score of a sample.

        Args:
            id: The identifier of the sample.
            epoch: The number of the attempt.
            scores: Its scores by scorer; none after an error.

        Raises:
            ValueError: If there are several scorers and none was chosen, or if the score is not
                from 0 to 1.
        """
        value = self._value(scores)
        if not math.isnan(value):
            self._rule.add(self._names[str(id)], value)

    async def complete_task(self) -> dict[str, Any]:
        """Summarise the evaluation for the log.

        Returns:
            The estimated score on all samples of the benchmark, its interval, how many attempts
            were made, and whether the evaluation ended early.
        """
        self._running = False
        return {
            **self._rule.estimate(), "level": self.level, "half_width": self.half_width,
            "stopped": self._rule.reached, "finished": self._rule.finished,
            "planned": self._attempts,
        }  # fmt: skip

    def _known(self, sample: Sample) -> str:
        """The task of the earlier models that a sample is."""
        possible = (f"{self._benchmark}/{sample.id}", str(sample.id))
        names = [name for name in possible if name in self._numbers]
        if not names:
            raise ValueError(
                f"samples must be tasks of the earlier models, got {sample.id!r} of"
                f" {self._benchmark}, which none of them has tried"
            )
        text = short_text(sample.input) if isinstance(sample.input, str) else ""
        said = self._label(TEXT, names[0])
        if text and said and said != text:
            raise ValueError(
                f"the sample {sample.id!r} must have the text that earlier models were given, got"
                f" {checks.brief(text)}; was the data set shuffled before it was numbered?"
            )
        return names[0]

    def _label(self, label: str, name: str) -> str:
        values = self.predictor.labels_.get(label)
        return "" if values is None else str(values[self._numbers[name]])

    def _group_of(self, names: list[str]) -> str | None:
        """The benchmark whose score is estimated; None for all tasks of the earlier models."""
        groups = {self._label(BENCHMARK, name) for name in names}
        if len(groups) > 1:
            raise ValueError(
                f"samples must be of one benchmark, got {' and '.join(sorted(groups)[:2])}"
            )
        return groups.pop() or None

    def _value(self, scores: dict[str, SampleScore]) -> float:
        values = {name: {"value": sample.score.value} for name, sample in scores.items()}
        found = dict(scores_of({"scores": values}))
        if not found:
            return math.nan
        if self.metric is None and len(found) > 1:
            raise ValueError(f"metric must be one of {', '.join(found)}, got None")
        if self.metric is not None and self.metric not in found:
            raise ValueError(f"metric must be one of {', '.join(found)}, got {self.metric!r}")
        value = as_score(next(iter(found.values())) if self.metric is None else found[self.metric])
        if not (0 <= value <= 1 or math.isnan(value)):
            raise ValueError(f"scores must be from 0 to 1, got {value}")
        return value
