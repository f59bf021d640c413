"""What the jobs of a Pegasus DAX (XML) run: as for Pegasus 5, whose tree is made of the file.

DAX 3 has the same parts as the YAML of Pegasus 5 in other clothes: ``<executable>`` is a transformation, ``<file>`` an
entry of the replica catalogue, ``<argument>`` the command line with files in it. So the file is read a second time into
such a tree, lines and all, and ``pegasus.py`` does the rest. DAX 2 has no executables: they come from
``transformations.yml`` beside it, or from ``--command``.
"""

from __future__ import annotations

import shlex
from xml.parsers import expat

from eligo.engines._tasks.pegasus_tasks import make_from_tree
from eligo.engines._tasks.task_maker import Maker
from eligo.formats._base import Document, YamlList, YamlMapping
from eligo.formats._dax import DaxDetails
from eligo.formats._source import Source

__all__ = ["maker", "tree_of"]

_JOBS = frozenset({"job", "dax", "dag"})
_STREAMS = frozenset({"stdin", "stdout", "stderr"})
_TEXTS = frozenset({"argument", "profile"})


def maker(document: Document) -> Maker:
    r"""Return what the jobs of a DAX run.

    Examples
    --------
    >>> from eligo.formats._dax import parse
    >>> text = b'''<adag><executable name="say"><pfn url="file:///bin/echo" site="local"/></executable>
    ... <job id="a" name="say"><argument>-n 5 -i<file name="f a"/></argument></job></adag>'''
    >>> maker(parse(Source("/w/x.dax", text), None)).task(0).processes[0].argv
    ('/bin/echo', '-n', '5', '-if a')
    """
    details = document.details
    assert isinstance(details, DaxDetails)
    return make_from_tree(
        document,
        tree_of(document.source),
        [job.kind for job in details.jobs],
        [job.transformation for job in details.jobs],
    )


def tree_of(source: Source) -> YamlMapping:
    """Return what a DAX says as the tree of a Pegasus 5 workflow."""
    return _Reader(source).tree


class _Reader:
    """Makes the tree; that the file is well-formed was seen when it was read first."""

    def __init__(self, source: Source) -> None:
        self.tree = YamlMapping(1)
        self._jobs = _listed(self.tree, "jobs")
        self._programs = _listed(_held(self.tree, "transformationCatalog", 1), "transformations")
        self._replicas = _listed(_held(self.tree, "replicaCatalog", 1), "replicas")
        self._open: list[YamlMapping] = [self.tree]  # the executable, job or file that is open is the last
        self._keys: dict[str, str] = {}
        self._text: list[str] | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.buffer_text = True
        self._parser.Parse(source.data, True)

    def _start(self, tag: str, keys: dict[str, str]) -> None:
        tag, holder = tag.rpartition(":")[2], self._open[-1]
        entry = YamlMapping(self._parser.CurrentLineNumber)
        name = keys.get("name") or keys.get("file")
        if tag in _JOBS or tag == "executable":
            entry.update({key: keys[key] for key in ("namespace", "name", "version") if key in keys})
            (self._programs if tag == "executable" else self._jobs).append(entry)
            self._open.append(entry)
        elif tag in ("file", "filename") and self._text is not None:
            self._text.append(shlex.quote(name or ""))
        elif tag == "file" and holder is self.tree:
            entry["lfn"] = name
            self._replicas.append(entry)
            self._open.append(entry)
        elif tag == "pfn" and holder is not self.tree:
            entry.update(
                {"pfn": keys.get("url"), "site": keys.get("site", "local")} | {"name": keys.get("site", "local")}
            )
            _listed(holder, "pfns" if "lfn" in holder else "sites").append(entry)
        elif tag == "uses" and holder is not self.tree:
            entry.update({"lfn": name, "type": keys.get("link", "").lower(), "stageOut": keys.get("transfer", "")})
            _listed(holder, "uses").append(entry)
        elif tag in _STREAMS and holder is not self.tree:
            holder[tag] = name
        elif tag == "invoke":
            holder["hooks"] = "invoke"
        elif tag in _TEXTS:
            self._keys, self._text = keys, []

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag, holder = tag.rpartition(":")[2], self._open[-1]
        if tag in _TEXTS and self._text is not None:
            text, self._text = "".join(self._text), None
            if tag == "argument":
                _listed(holder, "arguments").append(text)
            elif holder is not self.tree:
                line = self._parser.CurrentLineNumber
                space = self._keys.get("namespace", "").lower()
                _held(_held(holder, "profiles", line), space, line)[self._keys.get("key", "")] = text.strip()
        elif tag in _JOBS or tag == "executable" or (tag == "file" and self._text is None and "lfn" in holder):
            self._open.pop()


def _held(holder: YamlMapping, key: str, line: int) -> YamlMapping:
    """Return the mapping under a key, made where it is missing."""
    found = holder.setdefault(key, YamlMapping(line))
    assert isinstance(found, YamlMapping)
    return found


def _listed(holder: YamlMapping, key: str) -> YamlList:
    """Return the list under a key, made where it is missing."""
    found = holder.setdefault(key, YamlList(holder.line))
    assert isinstance(found, YamlList)
    return found
