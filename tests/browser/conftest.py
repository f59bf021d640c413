"""A real browser that looks at pages, and finds fault with everything that a page should not do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.pages import FMRI, report
from tests.browser.window import WINDOW, Looks

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE = Path(__file__).parent


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the browser after the last test that could need it.

    A fixture of the whole session would end it too late: while Playwright is there, an event loop runs in this thread,
    and tests elsewhere that want one of their own would fail.
    """
    if nextitem is None or HERE not in nextitem.path.parents:
        WINDOW.stop()


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What pages complained of, or asked the network for: nothing, unless a test expects it and clears the list."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def look(faults: list[str]) -> Iterator[Looks]:
    """Open a page; see :meth:`Looks.__call__`."""
    looks = Looks(faults)
    yield looks
    looks.end()


@pytest.fixture(scope="session")
def fmri_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of examples/fmri.dag: 83 jobs in 6 groups, with times and without sizes."""
    return report(tmp_path_factory.mktemp("fmri") / "fmri.html", FMRI)


@pytest.fixture
def fmri(look: Looks, fmri_page: Path) -> Page:
    return look(fmri_page)
