"""The collections of a YAML file, which know their lines; apart from the loader, for those who do not load YAML."""

from __future__ import annotations

from typing import Any

__all__ = ["YamlList", "YamlMapping"]


class YamlMapping(dict[str, Any]):
    """A mapping and the line on which it begins."""

    __slots__ = ("line",)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


class YamlList(list[Any]):
    """A sequence and the line on which it begins."""

    __slots__ = ("line",)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
