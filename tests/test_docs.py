"""What the README and the pages under docs show is what happens: every block is run or read, every link is followed.

``tests/pages.py`` says which kinds of blocks there are, ``tests/test_pages.py`` that what is wrong is noticed.
"""

from __future__ import annotations

import sys

import pytest

from eligo._cli import COMMANDS
from tests.contents import READERS, misread
from tests.pages import ENGINES, PAGES, ROOT, blocks_of, lost_links, misfits
from tests.reference.condor_pool import need_pool, pool_path
from tests.reference.slurm_cluster import need_cluster
from tests.sessions import faults, steps

MOST_NOT_RUN = 3
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
NOT_RUN = [block for page in PAGES for block in blocks_of(page) if "not run" in block.remarks]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_is_of_a_known_kind(page):
    found = misfits(page, READERS)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_what_a_page_shows_happens(page, tmp_path):
    if page == COMMANDS_PAGE and sys.version_info >= (3, 12):
        pytest.skip("the page has what argparse of Python 3.11 lays out; later ones differ")
    found = faults(page, tmp_path)
    assert not found, "\n\n".join(["", *found])


@pytest.mark.long
@pytest.mark.engine
@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_page_shows_happens_on_a_real_engine(engine, tmp_path):
    pages = {block.page for page in PAGES for block in blocks_of(page) if block.remarks.get("needs") == engine}
    if not pages:
        pytest.skip(f"no page has a block that needs {engine}")
    if engine == "htcondor":
        need_pool()
        environment = {"PATH": pool_path(), "POOL_MIRROR": "none"}
    else:
        environment = {"SLURM_CONF": need_cluster().conf}
    for page in sorted(pages):
        found = faults(page, tmp_path / page.stem, engine, **environment)
        assert not found, "\n\n".join(["", *found])


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_files_that_a_page_shows_can_be_read(page, tmp_path):
    found = [f"{block.where}: {why}" for block in blocks_of(page) if (why := misread(block, tmp_path))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("block", NOT_RUN, ids=lambda block: block.where)
def test_what_cannot_be_run_is_told(block):
    pytest.skip(f"{block.where}: {block.remarks['not run']}")


def test_what_cannot_be_run_is_little():
    assert len(NOT_RUN) <= MOST_NOT_RUN, "run some of them, or say why so many cannot be"


def test_every_command_is_on_its_page():
    shown = [command for block in blocks_of(COMMANDS_PAGE) for _, command, _ in steps(block)]
    assert shown == ["eligo --help", *(f"eligo {name} --help" for name in COMMANDS), "eligo-papers --help"]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_somewhere(page):
    found = lost_links(page)
    assert not found, "\n".join(found)
