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

SDSS-like workflows: the search for clusters of galaxies in the Sloan Digital Sky Survey.

The real dag is not public. What is known of it (Malewicz et al. 2006, section 3.3): 48,013 jobs, a bipartite component
with over 1,500 jobs whose sources have three children each, some of them shared. Its method runs along stripes of the
sky, field by field; a middle step reads the neighbouring fields; a catalogue comes last.

Taken here: a stripe of s fields has s jobs fieldPrep, s + 2 jobs brgSearch, each of which reads up to three
neighbouring fields (field i feeds searches i, i + 1 and i + 2), one bcgSearch behind each brgSearch, and a bcgCoalesce
that joins the stripe: 3s + 5 jobs. A getCatalog joins all stripes. The fields and searches of a stripe are the
bipartite component, 2s + 2 jobs of it: 1,598 or more at 48,013 jobs in stripes of about 800 fields.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from eligo.dag import Dag, Int64
from eligo.generate._family import Family, at_least, fits, register
from eligo.generate._scientific_workflows import Kind, Plan

__all__ = [
    "montage",
    "sdss",
]

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

_FEWEST_MONTAGE = 18
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
    at_least(_FEWEST_MONTAGE, jobs=jobs)
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


# No times or sizes of this dag are public: round figures for tables of galaxies.
_FIELD = Kind("fieldPrep", 20, 0.3, 2e6, 0.3)
_SEARCH = Kind("brgSearch", 60, 0.4, 5e5, 0.5)
_CLUSTER = Kind("bcgSearch", 90, 0.4, 1e5, 0.5)
_COALESCE = Kind("bcgCoalesce", 120, 0.2, 1e7, 0.2)
_CATALOG = Kind("getCatalog", 300, 0.1, 1e8, 0.1)

_FEWEST_SDSS = 9


def sdss(jobs: int = 1000, stripe: int = 800, costs: bool = False, seed: int = 0) -> Dag:
    """Return an SDSS-like dag of exactly so many jobs, 9 or more.

    Where the stripes' jobs do not add up to the number asked for, the last brgSearch has one or two bcgSearch more.
    Numbering: kind after kind in the order above, stripe after stripe within each. Names are ``fieldPrep_i`` and so
    on.

    Parameters
    ----------
    stripe
        About how many fields a stripe has.

    Examples
    --------
    >>> dag = sdss(100)
    >>> dag.n, [dag.names[job] for job in dag.children(5)]
    (100, ['brgSearch_5', 'brgSearch_6', 'brgSearch_7'])
    """
    at_least(_FEWEST_SDSS, jobs=jobs)
    at_least(1, stripe=stripe)
    at_least(0, seed=seed)
    fits(jobs, 3 * jobs)
    stripes = min(max(1, round((jobs - 1) / (3 * stripe + 5))), (jobs - 1) // 8)
    total, rest = divmod(jobs - 1 - 5 * stripes, 3)
    fields = np.diff(np.arange(stripes + 1) * total // stripes)  # as even as can be
    plan = Plan()
    field, search = plan.add(_FIELD, total), plan.add(_SEARCH, total + 2 * stripes)
    cluster = plan.add(_CLUSTER, len(search) + rest)
    coalesce, catalog = plan.add(_COALESCE, stripes), plan.add_one(_CATALOG)
    of_field = np.repeat(np.arange(stripes), fields)
    own = search[np.arange(total) + 2 * of_field]
    plan.link(field[:, None], own[:, None] + np.arange(3))
    searched = np.minimum(np.arange(len(cluster)), len(search) - 1)
    plan.link(search[searched], cluster)
    plan.link(cluster, coalesce[np.repeat(np.arange(stripes), fields + 2)[searched]])
    plan.link(coalesce, catalog)
    return plan.build(costs_seed=seed if costs else None)


register(
    Family(
        "sdss",
        sdss,
        "SDSS-like: the search for clusters of galaxies",
        {
            "jobs": "number of jobs, 9 or more",
            "stripe": "fields of a stripe, about",
            "costs": "with times and file sizes",
            "seed": "times and sizes are a function of this number",
        },
        "sdss --jobs 48013",
    ),
)
