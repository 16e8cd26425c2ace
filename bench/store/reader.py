"""Reader: opens the folder of a stored run.

The table of runs is read at once; trace rows are read for the cases that are asked for, since a
night leaves millions of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.scenarios import ScenarioResult, read_results
from bench.store.columns import SCHEMAS
from bench.store.writer import MANIFEST, SCENARIOS
from creatura.errors import AuthorError


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A finished run, read back.

    Attributes:
        manifest: Name, command, versions, start and end, seeds, hashes and counts.
        runs: A row for each case of each group; columns as in `columns.RUNS`.
    """

    folder: Path
    manifest: dict[str, Any]
    runs: pd.DataFrame
    scenarios: tuple[ScenarioResult, ...]

    @property
    def name(self) -> str:
        """The run's name."""
        return str(self.manifest["run"])

    def traces(self, cases: Sequence[str] | None = None) -> pd.DataFrame:
        """Reads the trace rows of some cases, or of all; columns as in `columns.TRACES`."""
        return _read(self.folder, "traces", cases)

    def lies(self, cases: Sequence[str] | None = None) -> pd.DataFrame:
        """Reads the lies told in some cases, or in all; columns as in `columns.LIES`."""
        return _read(self.folder, "lies", cases)

    def quarantines(self, cases: Sequence[str] | None = None) -> pd.DataFrame:
        """Reads when tools were hidden in some cases; columns as in `columns.QUARANTINES`."""
        return _read(self.folder, "quarantines", cases)


def load_run(path: Path | str) -> StoredRun:
    """Opens a stored run.

    Raises:
        AuthorError: The folder is missing, holds no run, or holds one that was cut short.
    """
    folder = Path(path)
    _check_complete(folder)
    manifest, scenarios = _load_json(folder / MANIFEST), read_results(folder / SCENARIOS)
    return StoredRun(folder, manifest, _read(folder, "runs"), scenarios)


def _check_complete(folder: Path) -> None:
    if not folder.is_dir():
        raise AuthorError.at(str(folder), "there is no such folder")
    if not (folder / MANIFEST).is_file():
        raise AuthorError.at(str(folder), f"holds no run: it has no {MANIFEST}")
    wanted = [f"{name}.parquet" for name in SCHEMAS] + [SCENARIOS]
    missing = [name for name in wanted if not (folder / name).is_file()]
    if missing:
        cut_short = _load_json(folder / MANIFEST).get("ended") is None
        why = "the run did not finish; run it again" if cut_short else "put it back or run again"
        raise AuthorError.at(str(folder), f"lacks {', '.join(missing)}: {why}")


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise AuthorError.at(str(path), f"is not well-formed JSON: {error}") from None


def _read(folder: Path, table: str, cases: Sequence[str] | None = None) -> pd.DataFrame:
    path = folder / f"{table}.parquet"
    chosen = None if cases is None else pc.field("case").isin(pa.array(cases, pa.string()))
    try:
        read = pq.read_table(path, filters=chosen)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise AuthorError.at(str(path), f"cannot be read as parquet: {reason}") from None
    frame: pd.DataFrame = read.unify_dictionaries().to_pandas()
    return frame
