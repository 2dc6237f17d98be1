"""Tables that are read and written in batches of rows, so that they may exceed memory."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from taskspace.files import atomic_path, check_target
from taskspace.outcomes import tables
from taskspace.outcomes.arrow import as_arrow
from taskspace.outcomes.csv_dialect import find_dialect

_BYTES = 1 << 22  # of a CSV file, per batch
_ROWS = 1 << 16  # of a Parquet file, per batch


def read_pieces(path: str | os.PathLike[str]) -> Iterator[tables.Columns]:
    """Yield the columns of a .csv or .parquet file in batches; an empty table is refused."""
    import pyarrow

    file, some = Path(path), False
    kind = tables.kind_of_existing(file)
    try:
        for piece in _open(file, kind):
            if piece.num_rows:
                some = True
                yield tables.read(piece)
    except (pyarrow.ArrowException, KeyError) as error:
        raise tables.unreadable(file, error) from error
    if not some:
        raise ValueError(f"the table {path} must have at least one row, got an empty table")


def _open(path: Path, kind: str) -> Iterator[Any]:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    if kind == ".parquet":
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS):
                yield pyarrow.Table.from_batches([batch])
        return
    dialect = find_dialect(path)
    with pyarrow.csv.open_csv(path, *dialect.options((), _BYTES)) as stream:
        for batch in stream:
            yield dialect.tidy(pyarrow.Table.from_batches([batch]))


def check_out(out: str | None, *inputs: str | None) -> None:
    """Refuse an output that cannot be written, or that is also an input, e.g. through a link."""
    if out is not None:
        tables.kind_of(Path(out))
        check_target(out)
    for name in inputs:
        if None not in (out, name) and Path(str(out)).resolve() == Path(str(name)).resolve():
            raise ValueError(f"--out must not be an input file, got {out}; choose another name")


@contextlib.contextmanager
def open_writer(path: str | os.PathLike[str] | None) -> Iterator[Writer]:
    """Open a .csv or .parquet file that is written completely or not at all.

    Without a path, the table goes to standard output as CSV.
    """
    if path is None:
        yield Writer(sys.stdout.buffer, ".csv")
        sys.stdout.buffer.flush()
        return
    kind = tables.kind_of(Path(path))
    with atomic_path(path) as temporary, Writer(temporary, kind) as writer:
        yield writer


class Writer(contextlib.AbstractContextManager["Writer"]):
    """Writes one table in batches of rows; the first batch determines the columns."""

    def __init__(self, target: Any, kind: str) -> None:
        self._target, self._kind = target, kind
        self._writer: Any = None
        self._schema: Any = None

    def write(self, columns: Mapping[str, Any]) -> None:
        """Append rows to the table."""
        import pyarrow

        piece = pyarrow.table({name: as_arrow(values) for name, values in columns.items()})
        if self._writer is None:
            self._writer, self._schema = self._open(piece.schema), piece.schema
        self._writer.write_table(piece.cast(self._schema))

    def _open(self, schema: Any) -> Any:
        if self._kind == ".csv":
            from pyarrow.csv import CSVWriter

            return CSVWriter(self._target, schema)
        from pyarrow.parquet import ParquetWriter

        return ParquetWriter(self._target, schema)

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()
