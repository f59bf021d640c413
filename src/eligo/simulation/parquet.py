"""Columns as Parquet and back, through pyarrow, which is there only where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from eligo.errors import MissingExtraError
from eligo.formats.storage import Source

__all__ = ["check_parquet", "parquet_bytes", "parquet_rows"]


def check_parquet() -> None:
    """Fail early where pyarrow is missing.

    Raises
    ------
    MissingExtraError
        It is.
    """
    _pyarrow("pyarrow.parquet")


def _pyarrow(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None


def parquet_bytes(columns: Mapping[str, list[Any]], facts: Mapping[str, str]) -> bytes:
    """Return a table as the bytes of a file, with facts in the metadata of its schema.

    Examples
    --------
    >>> data = parquet_bytes({"a": [1.5, None]}, {"by": "me"})
    >>> list(parquet_rows(Source("t.parquet", data), ["a"]))
    [(1, {'a': 1.5}), (2, {'a': None})]
    """
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    table = arrow.table(dict(columns))
    # A column in which all is empty would have no type, and readers of other languages stumble over that.
    schema = arrow.schema(
        [field.with_type(arrow.float64()) if arrow.types.is_null(field.type) else field for field in table.schema],
        metadata=dict(facts),
    )
    sink = arrow.BufferOutputStream()
    parquet.write_table(table.cast(schema), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def parquet_rows(source: Source, names: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number of each row, from 1, and its cells.

    Raises
    ------
    ParseError
        The file is damaged or lacks one of the columns `names`.
    """
    arrow, parquet = _pyarrow("pyarrow"), _pyarrow("pyarrow.parquet")
    try:
        table = parquet.read_table(arrow.BufferReader(source.data))
    except (arrow.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise source.error(None, f"is damaged Parquet: {reason}", hint="the file may be cut short") from None
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise source.error(None, f"there is no column {missing[0]}", hint="this is no table of a sweep of ours")
    yield from enumerate(table.select(list(names)).to_pylist(), 1)
