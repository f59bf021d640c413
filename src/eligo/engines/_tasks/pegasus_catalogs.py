"""Pegasus' catalogues: where programs and files are.

A workflow names its programs by *transformation* (``namespace::name:version``) and its files by name; catalogues say on
which site each is to be found. They stand in the workflow itself or, as Pegasus 5 has it by default, beside it in
``transformations.yml``, ``replicas.yml`` and ``sites.yml``; what the workflow says itself comes first.

Only what is on this machine can be run here: a path (or ``file://`` address) on the site ``local``, or, where a site
has another name, a path that is there on this machine as well. Containers are for Pegasus to start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final
from urllib.parse import unquote, urlsplit

from eligo.formats._base import Document, YamlList, YamlMapping
from eligo.formats._numbers import shown
from eligo.formats._source import Source, load

__all__ = ["Catalogs", "Program", "local_path", "mappings", "part"]

_LOCAL = "local"


@final
@dataclass(frozen=True, slots=True)
class Program:
    """A transformation: its path, or why there is none here; its profiles, the later ones first; where it stands."""

    path: str
    why_not: str
    profiles: tuple[YamlMapping, ...]
    requires: tuple[str, ...]
    where: tuple[Source, int]


def part(holder: YamlMapping, key: str, source: Source) -> YamlMapping:
    """Return a mapping inside a mapping, an empty one where it is absent."""
    value = holder.get(key)
    if value is None:
        return YamlMapping(holder.line)
    if not isinstance(value, YamlMapping):
        raise source.error(holder.line, f"{key} is {shown(value)}, not a mapping", hint="write it as key: value")
    return value


def mappings(holder: YamlMapping, key: str, source: Source) -> Iterator[YamlMapping]:
    """Yield the mappings of a list inside a mapping, none where it is absent."""
    value = holder.get(key)
    if value is None:
        return
    if not isinstance(value, YamlList) or not all(isinstance(entry, YamlMapping) for entry in value):
        raise source.error(holder.line, f"{key} is no list of mappings", hint="begin each entry with '- '")
    yield from value


def local_path(pfn: Any, folder: str) -> str | None:
    """Return the path that a physical file name means on this machine, or ``None`` if it is elsewhere.

    Examples
    --------
    >>> local_path("file:///a%20b", "/h"), local_path("bin/x", "/h"), local_path("http://there/x", "/h")
    ('/a b', '/h/bin/x', None)
    """
    if not isinstance(pfn, str) or not pfn or "\0" in pfn:
        return None
    if "://" not in pfn and not pfn.startswith("file:"):
        return os.path.normpath(os.path.join(folder, pfn))  # noqa: PTH118 - an absolute one stays
    address = urlsplit(pfn)
    if address.scheme != "file" or address.netloc not in ("", "localhost") or not address.path.startswith("/"):
        return None
    return os.path.normpath(unquote(address.path))


class Catalogs:
    """The catalogues of a workflow."""

    def __init__(self, document: Document, tree: YamlMapping, home: str) -> None:
        self._home = home
        inline = document.source
        self._programs: dict[str, tuple[YamlMapping, Source]] = {}
        self._places: dict[str, list[tuple[str, str]]] = {}
        self._sites: dict[str, YamlMapping] = {}
        self.has_patterns = False
        for holder, source in (
            (part(tree, "transformationCatalog", inline), inline),
            self._beside("transformations.yml"),
        ):
            for entry in mappings(holder, "transformations", source):
                self._programs.setdefault(_key(entry), (entry, source))
        for holder, source in ((part(tree, "replicaCatalog", inline), inline), self._beside("replicas.yml")):
            self._read_replicas(holder, source)
        for holder, source in ((part(tree, "siteCatalog", inline), inline), self._beside("sites.yml")):
            for site in mappings(holder, "sites", source):
                self._sites.setdefault(str(site.get("name")), part(site, "profiles", source))

    def _beside(self, name: str) -> tuple[YamlMapping, Source]:
        path = Path(self._home, name)
        if not path.is_file():
            return YamlMapping(1), Source(str(path), b"")
        from eligo.formats._yaml_text import load_yaml

        source = load(path)
        tree, _ = load_yaml(source)
        if not isinstance(tree, YamlMapping):
            raise source.error(1, "this is no catalogue of Pegasus", hint="move it away if it is something else")
        return tree, source

    def _read_replicas(self, holder: YamlMapping, source: Source) -> None:
        found: dict[str, list[tuple[str, str]]] = {}
        for replica in mappings(holder, "replicas", source):
            if str(replica.get("regex")).lower() == "true":
                self.has_patterns = True
                continue
            listed = [*mappings(replica, "pfns", source)] or [replica]
            entries = [(str(entry.get("site")), str(entry["pfn"])) for entry in listed if entry.get("pfn")]
            found.setdefault(str(replica.get("lfn")), []).extend(entries)
        for lfn, entries in found.items():
            self._places.setdefault(lfn, entries)

    def replica(self, lfn: str) -> tuple[str | None, str]:
        """Return the path of a file on this machine, if it has one, and else an address elsewhere, if it has one."""
        entries = sorted(self._places.get(lfn, []), key=lambda entry: entry[0] != _LOCAL)
        for site, pfn in entries:
            path = local_path(pfn, self._home)
            if path is not None and (site == _LOCAL or os.path.exists(path)):  # noqa: PTH110
                return path, pfn
        return None, entries[0][1] if entries else ""

    def program(self, transformation: str) -> Program | None:
        """Return what is known of a transformation, or ``None`` if it is in no catalogue."""
        if transformation not in self._programs:
            return None
        entry, source = self._programs[transformation]
        own = part(entry, "profiles", source)
        requires = entry.get("requires") or ()
        why_not = "no site has it"
        for site in sorted(mappings(entry, "sites", source), key=lambda site: site.get("name") != _LOCAL):
            name, path = str(site.get("name")), local_path(site.get("pfn"), self._home)
            if site.get("container"):
                why_not = f"it runs in the container {shown(site['container'])}"
            elif path is None:
                why_not = f"it is at {str(site.get('pfn'))[:200]!r}"
            elif name != _LOCAL and not os.path.exists(path):  # noqa: PTH110
                why_not = f"{path[:200]!r} of the site {shown(name)} is not on this machine"
            else:
                profiles = (part(site, "profiles", source), own, self._sites.get(name, YamlMapping(1)))
                return Program(path, "", profiles, tuple(map(str, requires)), (source, site.line))
        return Program("", why_not, (), tuple(map(str, requires)), (source, entry.line))


def _key(entry: YamlMapping) -> str:
    """Return ``namespace::name:version``, as the reader of workflows writes it."""
    space, name, version = (
        value if isinstance(value, str) else "" for value in map(entry.get, ("namespace", "name", "version"))
    )
    return (f"{space}::" if space else "") + name + (f":{version}" if version else "")
