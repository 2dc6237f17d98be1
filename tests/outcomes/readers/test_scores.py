"""Which metrics are better if lower."""

from __future__ import annotations

import pytest

from taskspace.outcomes.readers.scores import less_is_better


@pytest.mark.parametrize(
    "metric",
    [
        "incorrect", "is_wrong", "wrong", "latency", "time", "Time_s", "hallucination", "harmful",
        "hallucination_rate", "failed", "errors", "word_perplexity", "inference_runtime",
        "refusal", "is_refused", "refusal_rate", "bias_score", "gender_bias", "toxicity", "ppl",
        "unsafe", "asr", "cost_usd", "val_loss",
    ],
)  # fmt: skip
def test_less_of_it_is_better(metric: str) -> None:
    assert less_is_better(metric)


@pytest.mark.parametrize(
    "metric",
    [
        "acc",
        "exact_match",
        "correct",
        "harmless",
        "timeliness",
        "first_time_correct",
        "unbiased",
        "gloss",
        "no_refusal_correct",
    ],
)
def test_more_of_it_is_better(metric: str) -> None:
    assert not less_is_better(metric)
