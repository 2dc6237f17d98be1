"""How far apart two results may be that come from arrays of other shapes or from other code.

The same code on arrays of the same shape is compared bit for bit. Anything else adds up in another
order, and which order that is depends on the processor.
"""

CHANCE = 1e-5  # a probability: a sum over some 2000 candidates in single precision
BOUND = 0.0101  # a bound of an interval: they are whole percents, and rounding may cross one
BITS = 1e-5  # a similarity: logarithms of sums over agents in single precision
COORDINATE = 1e-6  # of a vector that a network computes in single precision
