"""Writer: fills the folder of one run while the run goes on.

Tables grow under temporary names and are renamed when the run is finished, so a file that bears
its final name is whole. The manifest is there from the first moment; one without an end tells of a
run that was cut short.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import creatura
from bench.scenarios import ScenarioResult, write_results
from bench.store import columns
from bench.traces import Batch
from creatura.errors import AuthorError
from creatura.hashing import digest
from creatura.world import World

PARTIAL = ".partial"  # ending of a file that is still being written
MANIFEST, SCENARIOS = "manifest.json", "scenarios.json"
CONFIG, COMPILED = "config", "compiled"  # what the run was made from, and what that came to
ROWS_PER_GROUP = 1 << 18  # rows kept back so that single runs do not each open a row group
PACKAGES = ("torch", "numpy", "numba", "pandas", "pyarrow")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class RunStore:
    """The folder of one run, open for writing.

    Attributes:
        folder: Where it lies.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self._manifest = manifest
        self._tables = {name: _Table(folder, name) for name in columns.SCHEMAS}
        self._run_hashes: dict[str, str] = {}  # by case id
        self._stored: dict[str, set[str]] = {}  # case ids by group
        self._seeds: set[int] = set()
        self._worlds: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._write_manifest()

    @classmethod
    def create(cls, reports_dir: Path, name: str | None, manifest: Mapping[str, Any]) -> RunStore:
        """Makes the folder of a new run.

        Args:
            name: The run's name, or None for one made of the time and a short hash.
            manifest: What the caller knows of the run, `command` first of all; it is stored as
                given, beside what the store adds itself.

        Raises:
            AuthorError: The name cannot be a folder's, or is taken.
        """
        started = datetime.now(UTC)
        chosen = name if name is not None else _made_name(started, manifest)
        if not _NAME.fullmatch(chosen):
            raise AuthorError.at(
                "run name", f"expected letters, digits, `.`, `_` and `-`, found '{chosen}'"
            )
        folder = reports_dir / chosen
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            message = "a run of this name is stored already; choose another name or remove it"
            raise AuthorError.at(str(folder), message) from None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise AuthorError.at(str(folder), f"cannot be made: {reason}") from None
        return cls(
            folder,
            {
                "run": chosen,
                **manifest,
                "versions": versions(),
                "started": _time(started),
                "ended": None,
            },
        )

    def add(self, batch: Batch) -> None:
        """Stores a batch; a case that its group has stored already is passed over.

        Raises:
            AuthorError: A case came out of a world that has changed since the case was stored.
        """
        ids = [case.id for case in batch.cases]
        self._check_unchanged(batch, ids)
        stored = self._stored.setdefault(batch.group, set())
        is_new_run = self._new(stored, ids)
        is_new_case = self._new(self._run_hashes.keys(), ids)
        stored.update(ids)
        self._run_hashes.update(zip(ids, batch.run_hashes, strict=True))
        for name, rows in columns.tables_of(batch, ids, is_new_run, is_new_case).items():
            self._tables[name].add(rows)
        self._note(batch)

    def finish(self, scenarios: Sequence[ScenarioResult]) -> None:
        """Writes what is left, gives every file its name, and closes the manifest."""
        for table in self._tables.values():
            table.finish()
        write_results(self.folder / SCENARIOS, scenarios)
        self._manifest["ended"] = _time(datetime.now(UTC))
        self._write_manifest(len(scenarios))

    def close(self) -> None:
        """Lets go of the files of a run that was not finished; its manifest stays."""
        for table in self._tables.values():
            table.discard()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_unchanged(self, batch: Batch, ids: Sequence[str]) -> None:
        if self._run_hashes.keys().isdisjoint(ids):
            return
        for i, case in enumerate(ids):
            if self._run_hashes.get(case, batch.run_hashes[i]) != batch.run_hashes[i]:
                world = batch.cases[i].world
                message = "it changed while the run went on, so one case would have two results"
                raise AuthorError.at(world, f"{message}; start the run again")

    @staticmethod
    def _new(known: Set[str], ids: Sequence[str]) -> columns.Bools:
        """Tells which ids are neither known nor repeated `[W]`."""
        seen = set(ids)
        if len(seen) == len(ids) and known.isdisjoint(seen):
            return np.ones(len(ids), dtype=bool)  # nearly every batch, at a tenth of the cost
        first = {case: i for i, case in reversed(list(enumerate(ids)))}
        is_new = [first[case] == i and case not in known for i, case in enumerate(ids)]
        return np.array(is_new, dtype=bool)

    def _note(self, batch: Batch) -> None:
        self._seeds.update(case.seed for case in batch.cases)
        name = batch.results.brief.world
        text = batch.world.text if batch.world else ""
        # Faults are in no hash of the world's, so two texts may share all of them.
        key = (name, batch.hashes["vfs"], text)
        if key not in self._worlds:
            entry = {"world": name, "source": batch.cases[0].world, "hashes": dict(batch.hashes)}
            self._worlds[key] = entry | self._keep_world(batch.world)

    def _keep_world(self, world: World | None) -> dict[str, str]:
        """Writes a world's text and what it was compiled to; returns where they lie."""
        if world is None:
            return {}
        named = sum(name == world.brief.world for name, _, _ in self._worlds)
        stem = f"{world.brief.world}-{named + 1}" if named else world.brief.world
        compiled = {"world": world.brief.world, "hashes": dict(world.hashes), **world.specs}
        return {
            "config": self.keep_config(f"worlds/{stem}.yaml", world.text),
            "compiled": self._keep(f"{COMPILED}/{stem}.json", as_json(compiled)),
        }

    def keep_config(self, name: str, text: str) -> str:
        """Keeps a text that the run was made from; returns where it lies in the folder."""
        return self._keep(f"{CONFIG}/{name}", text.encode())

    def _keep(self, name: str, content: bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        return name

    def _write_manifest(self, num_scenarios: int = 0) -> None:
        counts = {name: table.num_rows for name, table in self._tables.items()}
        content = {
            **self._manifest,
            "seeds": spans(self._seeds),
            "worlds": list(self._worlds.values()),
            "counts": {"cases": len(self._run_hashes), **counts, "scenarios": num_scenarios},
        }
        write_json(self.folder / MANIFEST, content)


class _Table:
    """One growing parquet file; a file without rows is made as well."""

    def __init__(self, folder: Path, name: str) -> None:
        self._schema = columns.SCHEMAS[name]
        self._path = folder / f"{name}.parquet"
        self._partial = folder / f"{name}.parquet{PARTIAL}"
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []
        self._num_waiting = 0
        self.num_rows = 0

    def add(self, rows: pa.Table) -> None:
        self._waiting.append(rows)
        self._num_waiting += len(rows)
        self.num_rows += len(rows)
        if self._num_waiting >= ROWS_PER_GROUP:
            self._flush()

    def finish(self) -> None:
        self._flush()
        assert self._writer is not None, "a flush opens the file"
        self._writer.close()
        os.replace(self._partial, self._path)

    def discard(self) -> None:
        if self._writer is not None and self._writer.is_open:
            self._writer.close()
        self._partial.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._partial, self._schema, compression="zstd")
        if self._waiting:
            # Batches bring dictionaries of their own; a row group is smallest with one.
            joined = pa.concat_tables(self._waiting).unify_dictionaries()
            self._writer.write_table(joined, row_group_size=4 * ROWS_PER_GROUP)
        self._waiting, self._num_waiting = [], 0


def versions() -> dict[str, str]:
    """Names what the run was made with, without importing any of it."""
    installed = {}
    for package in PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            installed[package] = "not installed"
    return {
        "creatura-bench": creatura.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        **installed,
    }


def spans(numbers: Iterable[int]) -> list[list[int]]:
    """Sums up numbers as first and last of each unbroken stretch.

    >>> spans([3, 0, 1, 2, 7])
    [[0, 3], [7, 7]]
    """
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def write_json(path: Path, content: Any) -> None:
    """Writes a JSON file whole or not at all."""
    write_whole(path, as_json(content))


def as_json(content: Any) -> bytes:
    """Writes plain data as JSON that people can read."""
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all."""
    partial = path.with_name(path.name + PARTIAL)
    partial.write_bytes(content)
    os.replace(partial, path)


def _made_name(started: datetime, manifest: Mapping[str, Any]) -> str:
    key = digest([started.isoformat(), os.getpid(), str(manifest.get("command"))])
    return f"{started:%Y%m%dT%H%M%SZ}-{key[:6]}"


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
