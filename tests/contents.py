"""Contents of files that pages show: each kind with what must be able to read it."""

from __future__ import annotations

import csv
import json
import subprocess
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import yaml

from eligo.formats import open_document
from eligo.simulation import read_arrivals
from tests.pages import Block


def _workflow(path: Path, format: str) -> None:
    assert open_document(path, format=format).dag.n


def _table(path: Path) -> None:
    """Read a table by what its first line says that it is."""
    rows = list(csv.DictReader(path.read_text().splitlines()))
    if "job" in rows[0]:
        jobs = path.with_name("jobs.csv")
        jobs.write_text("\n".join(["parent,child", *(f"{row['job']}," for row in rows if row["job"])]))
        open_document(jobs, format="edgelist", job_data=path)
    elif list(rows[0]) == ["time", "workers"]:
        read_arrivals(path)
    else:
        _workflow(path, "edgelist")


def _yaml(path: Path) -> None:
    """Read any YAML; a workflow, by its jobs, as one."""
    content = yaml.safe_load(path.read_text())
    assert content is not None
    if "jobs" in content:
        _workflow(path, "pegasus")


def _json(path: Path) -> None:
    content = json.loads(path.read_text())
    if "workflow" in content:
        _workflow(path, "wfformat")


def _shell(path: Path) -> None:
    done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _any(path: Path) -> None:
    """Take drawings, formulas, what other programs read or print."""


READERS: dict[str, Callable[[Path], object]] = {
    "csv": _table,
    "dagman": partial(_workflow, format="dagman"),
    "dot": partial(_workflow, format="dot"),
    "json": _json,
    "sh": _shell,
    "text": _any,
    "xml": ElementTree.parse,
    "yaml": _yaml,
}


def misread(block: Block, folder: Path) -> str:
    """Return why what a page shows as the content of a file cannot be read; empty where it can, or is none."""
    if block.language not in READERS:
        return ""
    path = folder / f"shown.{block.language}"
    path.write_text(block.text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            READERS[block.language](path)
        except Exception as error:  # whatever a reader raises
            return f"the {block.language} cannot be read: {error}"
    return ""
