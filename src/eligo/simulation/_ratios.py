"""How much better one strategy does than another: ratios of means, with the interval of paper 002.

Simulations are noisy, so a ratio of two numbers says little without an interval. Malewicz, Foster, Rosenberg and Wilde
2006 (section 4.2) take p samples of a metric under each strategy, each sample the mean of q runs. They divide every
sample x of the first by every sample y of the second, and remove the 2.5 % smallest and the 2.5 % largest of the p * p
quotients. What is left spans the 95 % interval. If any y is 0 there is none.

What the interval means: *the ratio of the means of q runs* lies in it in 95 of 100 such experiments. It narrows as q
grows, like 1 / sqrt(q), and not as p grows: p only settles where its ends are.

Which strategy is faster is another question, to which all p * q runs together have an answer: the *estimate* is the
ratio of the means of all samples. (The mean of the quotients is larger: by noise alone it exceeds 1 where a strategy
meets itself.) By linearisation its standard error is the standard deviation of the quotients divided by sqrt(p), for
all pairs as for matched ones: with independent x and y the mean of all p * p quotients varies as
var(x) / (p mean(y)^2) + mean(x)^2 var(y) / (p mean(y)^4), which is the variance of the quotients over p. (Where samples
vary by more than a fifth the quotients vary more than that: the error is then too large, not too small.) A difference
is *clear* if the estimate is more than 4 standard errors away from 1, and somewhat more where samples are few.

With common random numbers sample i of both strategies saw the same workers and the same job times. Then only the
quotients x[i] / y[i] are taken (``paired``): what made both slow cancels out, and the interval is narrower. To divide
x[i] by y[j] would throw that away.

Cost: O(p^2) time and memory while there are up to a million pairs. Beyond that the ends and the median are found by
bisection, counting at each step the quotients up to a value: O(p log p) a step, 63 steps, O(p) memory. Both give the
same numbers, mean and standard deviation up to rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from eligo.dag import Float64, Int64
from eligo.errors import EligoError

__all__ = ["FEWEST_SAMPLES", "Estimate", "Summary", "estimate", "margin", "ratio", "summarize"]

FEWEST_SAMPLES = 10
"""Fewer do not tell how much samples vary, so that nothing is said to be clear."""

_MOST_PAIRS = 1_000_000  # about where bisection becomes faster
_CUT = 40  # one value in 40 is removed at either end
_ROUNDING = 1e-9  # no difference, where nothing is random


class Summary(NamedTuple):
    """Some values, in short.

    Attributes
    ----------
    mean, median, sd
        Of all values; the standard deviation is that of the values themselves (divided by their number, not one less).
    low, high
        The smallest and the largest when the 2.5 % at either end are removed, rounded down: of fewer than 40 none is.
    """

    mean: float
    median: float
    sd: float
    low: float
    high: float


class Estimate(NamedTuple):
    """A ratio of two strategies as all runs together tell it.

    Attributes
    ----------
    ratio
        The mean of the one divided by the mean of the other.
    error
        Its standard error.
    samples
        From how many of each.
    """

    ratio: float
    error: float
    samples: int

    def __str__(self) -> str:
        """Return it with as many digits as the error deserves.

        Examples
        --------
        >>> print(Estimate(0.83812, 0.00123, 300), Estimate(0.9, 0.04, 20), Estimate(1.0, 0.0, 300))
        0.838 ± 0.001 0.90 ± 0.04 1.000
        """
        if not self.error > 0:
            return f"{self.ratio:.3f}"
        digits = min(max(math.ceil(-math.log10(self.error)), 2), 6)
        return f"{self.ratio:.{digits}f} ± {max(self.error, 10.0**-digits):.{digits}f}"

    @property
    def is_enough(self) -> bool:
        """Whether there are samples enough to tell anything."""
        return self.samples >= FEWEST_SAMPLES

    @property
    def is_below(self) -> bool:
        """Whether the ratio is clearly below 1."""
        return self.is_enough and 1 - self.ratio > max(margin(self.error, self.samples), _ROUNDING)

    @property
    def is_above(self) -> bool:
        """Whether the ratio is clearly above 1."""
        return self.is_enough and self.ratio - 1 > max(margin(self.error, self.samples), _ROUNDING)


def margin(error: float, samples: int) -> float:
    """Return how far chance may take an estimate: 4 standard errors, more where these come from few samples.

    It goes further about once in ten thousand times, by Student's distribution, roughly: a sweep looks at a hundred
    points, and none of them should seem clear by chance.

    Examples
    --------
    >>> margin(0.01, 1201), margin(0.01, 13)
    (0.0402, 0.06)
    """
    return error * (4 + 24 / max(samples - 1, 1))


def estimate(mine: Summary, theirs: Summary, quotients: Summary | None, samples: int) -> Estimate | None:
    """Return the ratio of two strategies with its standard error; ``None`` where there is no ratio.

    Parameters
    ----------
    mine, theirs
        The samples of both, summarized.
    quotients
        What :func:`ratio` made of them, with all pairs or with matched ones.
    samples
        How many there are of each.

    Examples
    --------
    >>> x, y = [8.0, 9.0, 10.0] * 5, [9.0, 10.0, 11.0] * 5
    >>> found = estimate(summarize(x), summarize(y), ratio(x, y), 15)
    >>> f"{found.ratio:.2f} ± {found.error:.2f}", found.is_below
    ('0.90 ± 0.03', False)
    """
    if quotients is None or not theirs.mean > 0:
        return None
    return Estimate(mine.mean / theirs.mean, quotients.sd / math.sqrt(samples), samples)


def summarize(samples: ArrayLike) -> Summary:
    """Return mean, median, standard deviation and the range of the middle 95 % of some values.

    Where a value is infinite (a run that never ends), so is the mean, and the standard deviation is ``nan``.

    Raises
    ------
    EligoError
        No values, or some that are not numbers.

    Examples
    --------
    >>> summarize([1, 2, 3, 6])
    Summary(mean=3.0, median=2.5, sd=1.8708286933869707, low=1.0, high=6.0)
    >>> summarize(range(41))[3:]
    (1.0, 39.0)
    """
    values = _samples(samples)
    mean, sd = _moments(values)
    ranks = _ranks(len(values))
    low, left, right, high = np.partition(values, ranks)[list(ranks)].tolist()
    return Summary(mean, _between(left, right), sd, low, high)


def ratio(x: ArrayLike, y: ArrayLike, *, paired: bool = False) -> Summary | None:
    """Return the distribution of the quotients of samples x over samples y, or ``None`` where it does not exist.

    Parameters
    ----------
    x, y
        Samples, 0 or above, each the mean of several runs.
    paired
        Whether sample i of both was drawn with the same random numbers: only x[i] / y[i] are then taken. By default all
        pairs are.

    Returns
    -------
    Summary | None
        ``None`` ("no interval") where a y is 0, or anything is infinite.

    Raises
    ------
    EligoError
        No samples, negative ones, some that are not numbers, or pairs without a partner.

    Examples
    --------
    >>> ratio([2, 3], [1, 2]).median, ratio([2, 3], [1, 2], paired=True).median
    (1.75, 1.75)
    >>> ratio([2, 3], [1, 2]).high, ratio([2, 3], [1, 2], paired=True).high
    (3.0, 2.0)
    >>> ratio([1, 1], [0, 1]) is None
    True
    """
    above, below = _samples(x), _samples(y)
    if above.min() < 0 or below.min() < 0:
        raise EligoError("ratios are of samples that are 0 or above")
    if paired and len(above) != len(below):
        raise EligoError(f"{len(above)} samples cannot be paired with {len(below)}")
    if below.min() == 0 or not np.isfinite(above.max()) or not np.isfinite(below.max()):
        return None
    with np.errstate(over="ignore"):
        if paired:
            quotients = above / below
        elif not np.isfinite(above.max() / below.min()):
            return None
        elif above.size * below.size > _MOST_PAIRS:
            return _ratio_of_many(above, below)
        else:
            quotients = np.divide.outer(above, below).ravel()
    return summarize(quotients) if np.isfinite(quotients.max()) else None


def _samples(samples: ArrayLike) -> Float64:
    try:
        values = np.asarray(samples, np.float64)
    except (TypeError, ValueError):
        raise EligoError("samples must be numbers") from None
    if values.ndim != 1 or not values.size:
        raise EligoError("samples must be a list of at least one number")
    if np.isnan(values).any():
        raise EligoError("samples must be numbers, not nan")
    return values


def _moments(values: Float64) -> tuple[float, float]:
    """Return mean and standard deviation."""
    largest = float(np.abs(values).max())
    if not np.isfinite(largest):
        with np.errstate(invalid="ignore"):  # inf - inf
            return float(values.mean()), float("nan")
    if largest == 0:
        return 0.0, 0.0
    unit = math.frexp(largest)[1]  # a power of two, so that squares stay finite and nothing is rounded
    scaled = np.ldexp(values, -unit)
    apart = scaled - scaled[0]  # equal values then have exactly their mean, and no deviation
    return math.ldexp(scaled[0] + apart.mean(), unit), math.ldexp(apart.std(), unit)


def _ranks(count: int) -> tuple[int, int, int, int]:
    """Return the places, in ascending order, of the low end, the two values in the middle, and the high end."""
    cut = count // _CUT
    return cut, (count - 1) // 2, count // 2, count - 1 - cut


def _between(left: float, right: float) -> float:
    return left if left == right else left / 2 + right / 2


def _ratio_of_many(above: Float64, below: Float64) -> Summary:
    """Do as ``ratio`` without making the quotients: x and 1 / y are drawn independently, so their moments multiply."""
    least = below.min()  # by which all is divided, so that no quotient is infinite that was not before
    mean_x, sd_x = _moments(above / least)
    mean_z, sd_z = _moments(least / below)
    sd = math.hypot(sd_x * sd_z, sd_x * mean_z, sd_z * mean_x)
    ascending = np.sort(above)
    low, left, right, high = (_select(ascending, below, rank) for rank in _ranks(above.size * below.size))
    return Summary(mean_x * mean_z, _between(left, right), sd, low, high)


def _select(ascending: Float64, below: Float64, rank: int) -> float:
    """Return the quotient with `rank` others before it: the least value that more than `rank` quotients do not pass.

    Floats that are 0 or above are in the order of their bits, so 63 halvings single out one of them.
    """
    least, most = 0, int(np.float64(np.inf).view(np.int64))
    while least < most:
        half = (least + most) // 2
        if int(_count(ascending, below, float(np.int64(half).view(np.float64))).sum()) > rank:
            most = half
        else:
            least = half + 1
    return float(np.int64(least).view(np.float64))


def _count(ascending: Float64, below: Float64, bound: float) -> Int64:
    """Return for each y how many quotients are at most `bound`; division rounds monotonically: bisection is exact."""
    first = np.zeros(len(below), np.int64)
    last = np.full(len(below), len(ascending), np.int64)
    for _ in range(len(ascending).bit_length()):
        half = (first + last) // 2
        fits = (half < last) & (ascending[np.minimum(half, len(ascending) - 1)] / below <= bound)
        first = np.where(fits, half + 1, first)
        last = np.where(fits, last, half)
    return first
