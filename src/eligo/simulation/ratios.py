"""How much better one strategy does than another: ratios of means, with the interval of paper 002.

Simulations are noisy, so a ratio of two numbers says little without an interval. Malewicz, Foster, Rosenberg and Wilde
2006 (section 4.2) take p samples of a metric under each strategy, each sample the mean of q runs. They divide every
sample x of the first by every sample y of the second, and remove the 2.5 % smallest and the 2.5 % largest of the p * p
quotients. What is left spans the 95 % interval. If any y is 0 there is none.

What the interval means: *the ratio of the means of q runs* lies in it in 95 of 100 such experiments. It narrows as q
grows, like 1 / sqrt(q), and not as p grows: p only settles where its ends are. An interval for the ratio of the true
means, of which all p * q runs together tell, would be narrower.

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

__all__ = ["Summary", "ratio", "summarize"]

_MOST_PAIRS = 1_000_000  # about where bisection becomes faster
_CUT = 40  # one value in 40 is removed at either end


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
