"""Measurements, side by side with what people write today; `taskspace bench` runs them."""
