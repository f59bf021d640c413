"""Montage-like workflows: images of the sky are projected, compared where they overlap, corrected and added.

Shape, as in the workflows of the Pegasus gallery: mProject (one for each image) -> mDiffFit (one for each overlapping
pair) -> mConcatFit -> mBgModel -> mBackground (one for each image, which also reads the projected image) -> mImgTbl ->
mAdd -> mShrink -> mJPEG. With p images and d overlaps that is 2p + d + 6 jobs.

The images lie in a nearly square grid. Each overlaps its neighbours beside and below; of the diagonal neighbours and
those two places away in its row, as many overlap, drawn evenly, as the number of jobs asks for: about four overlaps an
image, as in the gallery, so that an image takes part in 3 to 10, or in 2 if it is alone in the last row (Malewicz et
al. 2006, section 3.3: a bipartite component with over 1,000 of 7,881 jobs, each of whose sources has from a few to
about ten children, some shared); in mosaics of fewer than 40 jobs also in fewer. The edge from mProject to mBackground
is a shortcut, as it is in the real workflows.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from eligo.dag import Dag, Int64
from eligo.generate.family import Family, register
from eligo.generate.kinds import Kind, Plan
from eligo.generate.limits import at_least, fits

__all__ = ["montage"]

# Means and spreads of the gallery's Montage_1000 (mDiffFit's file: what a job reads of it is small).
_PROJECT = Kind("mProject", 13.6, 0.02, 8.3e6, 0.02)
_DIFF = Kind("mDiffFit", 10.6, 0.01, 2.9e5, 0.5)
_CONCAT = Kind("mConcatFit", 53, 0.1, 1.4e5, 0.1)
_MODEL = Kind("mBgModel", 89, 0.1, 8.8e3, 0.1)
_BACKGROUND = Kind("mBackground", 10.7, 0.02, 8.3e6, 0.02)
_TABLE = Kind("mImgTbl", 66, 0.1, 6.7e4, 0.1)
_ADD = Kind("mAdd", 99.5, 0.1, 6.1e8, 0.1)
_SHRINK = Kind("mShrink", 22, 0.1, 1.2e7, 0.1)
_JPEG = Kind("mJPEG", 2.5, 0.1, 1.4e6, 0.1)

_FEWEST = 18
_SINGLE = 6


def montage(jobs: int = 1000, costs: bool = False, seed: int = 0) -> Dag:
    """Return a Montage-like dag of exactly so many jobs, 18 or more.

    Numbering: kind after kind in the order above; images row by row, overlaps by their first image, then their
    second. Names are ``mProject_i`` and so on.

    Examples
    --------
    >>> dag = montage(100)
    >>> dag.n, [dag.names[job] for job in dag.parents(dag.index("mBackground_3"))]
    (100, ['mProject_3', 'mBgModel'])
    """
    at_least(_FEWEST, jobs=jobs)
    at_least(0, seed=seed)
    fits(jobs, 3 * jobs)
    rng = np.random.Generator(np.random.PCG64(seed))
    images, first, second = _overlaps(jobs - _SINGLE, rng)
    plan = Plan()
    project, diff = plan.add(_PROJECT, images), plan.add(_DIFF, len(first))
    concat, model = plan.add_one(_CONCAT), plan.add_one(_MODEL)
    background, table = plan.add(_BACKGROUND, images), plan.add_one(_TABLE)
    add, shrink, jpeg = plan.add_one(_ADD), plan.add_one(_SHRINK), plan.add_one(_JPEG)
    for tails, heads in (
        (project[first], diff), (project[second], diff), (diff, concat), (concat, model), (model, background),
        (project, background), (background, table), (table, add), (add, shrink), (shrink, jpeg),
    ):  # fmt: skip
        plan.link(tails, heads)
    return plan.build(costs_seed=seed if costs else None)


def _overlaps(budget: int, rng: np.random.Generator) -> tuple[int, Int64, Int64]:
    """Choose a number of images, and overlaps so that twice the one and once the other make `budget`.

    The least and the most overlaps grow with the images, and from 4 images on one number's range meets the next's:
    the walk from the guess ends.
    """
    images = max(2, budget // 6)
    while True:
        (sure, near), wanted = _neighbours(images), budget - 2 * images
        if len(sure) <= wanted <= len(sure) + len(near):
            break
        images += 1 if wanted > len(sure) else -1
    degree = np.bincount(sure.ravel(), minlength=images)
    rank = rng.random(len(near))
    rank[(degree[near] < 3).any(axis=1)] -= 1  # corners first, so that no image has fewer than three where avoidable
    taken = near[np.argsort(rank, kind="stable")[: wanted - len(sure)]]
    pairs = np.concatenate([sure, taken])
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return images, pairs[:, 0], pairs[:, 1]


def _neighbours(images: int) -> tuple[Int64, Int64]:
    """Return the pairs that surely overlap and those that may, of images in rows, the last of them perhaps short."""
    width = isqrt(images - 1) + 1
    image = np.arange(images, dtype=np.int64)
    column = image % width

    def pairs(down: int, right: int) -> Int64:
        other = image + down * width + right
        there = (other < images) & (column + right >= 0) & (column + right < width)
        return np.stack([image[there], other[there]], axis=1)

    return (
        np.concatenate([pairs(0, 1), pairs(1, 0)]),
        np.concatenate([pairs(1, 1), pairs(1, -1), pairs(0, 2)]),
    )


register(
    Family(
        "montage",
        montage,
        "Montage-like: a mosaic of images of the sky",
        {
            "jobs": "number of jobs, 18 or more",
            "costs": "with times and file sizes",
            "seed": "overlaps, times and sizes are a function of this number",
        },
        "montage --jobs 7881",
    ),
)
