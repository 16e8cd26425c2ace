"""Columns: what each stored column holds, and how a batch becomes them.

Words never pass through Python objects row by row: a trace column is the batch's own codes beside
the few strings they stand for. Unit and meaning of a column travel in the file, as the metadata of
its field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bench.matrix import Case
from bench.traces import Batch
from creatura.protocols import Findings
from creatura.results import Counts, LieTable, QuarantineTable

Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]
Tables = dict[str, pa.Table]

WORD = pa.dictionary(pa.int32(), pa.string())  # few distinct strings, many rows
NULLABLE = frozenset({"handed_off", "claims", "judgements", "flags"})


@dataclass(frozen=True, slots=True)
class Column:
    """One stored column: its type, its unit (empty for none) and its meaning."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str


# fmt: off
RUNS = (
    Column("case", pa.string(), "", "hash of everything that the case says"),
    Column("group", WORD, "", "the plan or the scenario that asked for the case"),
    Column("world", WORD, "", "the world's own name"),
    Column("world_hash", WORD, "", "hash of the compiled world"),
    Column("trouble", WORD, "", "faults added by the case, in words; none without any"),
    Column("design", WORD, "", "designs in agent order, joined by +"),
    Column("seat", WORD, "", "seats in agent order, joined by +; one where all are the same"),
    Column("seed", pa.int64(), "", "key of the counter-based draws"),
    Column("episode", pa.int64(), "", "second key of the draws"),
    Column("number", pa.int32(), "cases", "place in its sequence of cases, from 1"),
    Column("max_ticks", pa.int32(), "ticks", "ticks after which an open run ends"),
    Column("agents", pa.int32(), "agents", "how many agents shared the world"),
    Column("goal_reached", pa.bool_(), "", "the task's predicate over the facts, at the close"),
    Column("ticks", pa.int32(), "ticks", "ticks run until every agent had closed"),
    Column("handed_off", WORD, "", "reason to hand the task to a person; null if none did"),
    Column("declared_done", pa.bool_(), "", "some agent declared the task done"),
    Column("false_completion", pa.bool_(), "", "declared done while the goal was not reached"),
    Column("acts", pa.int32(), "calls", "tool calls that ran"),
    Column("landed", pa.int32(), "calls", "calls whose effect was found in the facts"),
    Column("honest_failures", pa.int32(), "calls", "calls that reported their own failure"),
    Column("lies_told", pa.int32(), "lies", "successes reported over a missing effect"),
    Column("lies_caught", pa.int32(), "lies", "lies the membrane judged as such when told"),
    Column("lies_believed", pa.int32(), "lies", "lies told and not caught"),
    Column("refused", pa.int32(), "agent-ticks", "ticks whose answer the gatekeeper refused"),
    Column("waited", pa.int32(), "agent-ticks", "ticks spent waiting for a distrusted tool"),
    Column("held", pa.int32(), "agent-ticks", "ticks the design itself held back"),
    Column("quarantines", pa.int32(), "times", "times a tool was hidden"),
    Column("claims", pa.int32(), "claims", "what the critic heard claimed; null without a critic"),
    Column("judgements", pa.int32(), "claims", "claims the critic judged"),
    Column("flags", pa.int32(), "claims", "claims the critic found false"),
    Column("run_hash", pa.string(), "", "hash of everything that determines the run's rows"),
)
TRACES = (
    Column("case", WORD, "", "the run's case, as in runs"),
    Column("agent", pa.int32(), "", "agent index, from 0"),
    Column("tick", pa.int32(), "ticks", "tick of the row, from 1"),
    Column("seq", pa.int32(), "rows", "order within the run, from 0"),
    Column("kind", WORD, "", "what sort of event the row tells"),
    Column("level", WORD, "", "the part of the design that speaks"),
    Column("stress", pa.float64(), "share", "stress of that level, 0 to 1"),
    Column("freedom", pa.float64(), "share", "room to improvise, 0 to 1"),
    Column("action", WORD, "", "the tool, or what was done instead of calling one"),
    Column("detail", WORD, "", "the event in the design's own vocabulary"),
)
LIES = (
    Column("case", WORD, "", "the run's case, as in runs"),
    Column("agent", pa.int32(), "", "index of the agent it was told to, from 0"),
    Column("tick", pa.int32(), "ticks", "tick it was told in, from 1"),
    Column("tool", WORD, "", "the tool that told it"),
    Column("caught", pa.bool_(), "", "the membrane judged it a lie when it was told"),
)
QUARANTINES = (
    Column("case", WORD, "", "the run's case, as in runs"),
    Column("agent", pa.int32(), "", "index of the agent it was hidden from, from 0"),
    Column("tick", pa.int32(), "ticks", "tick of the act that cost the trust, from 1"),
    Column("tool", WORD, "", "the tool that was hidden"),
    Column("until", pa.int32(), "ticks", "last tick it stays hidden, unless that is lifted"),
    Column("is_lie", pa.bool_(), "", "hidden for a lie, not for an honest failure"),
)
# fmt: on

TABLES = {"runs": RUNS, "traces": TRACES, "lies": LIES, "quarantines": QUARANTINES}


def schema_of(columns: Iterable[Column]) -> pa.Schema:
    """Builds the arrow schema, with unit and meaning in each field's metadata."""
    return pa.schema(
        [
            pa.field(
                column.name,
                column.type,
                nullable=column.name in NULLABLE,
                metadata={"unit": column.unit, "meaning": column.meaning},
            )
            for column in columns
        ]
    )


SCHEMAS = {name: schema_of(columns) for name, columns in TABLES.items()}


def tables_of(batch: Batch, ids: list[str], is_new_run: Bools, is_new_case: Bools) -> Tables:
    """Builds what a batch adds to each table.

    Args:
        ids: Case ids, in the order of the batch.
        is_new_run: Which cases to store in `runs` `[W]`.
        is_new_case: Which cases to store in the other tables `[W]`.
    """
    runs = {**_case_columns(batch, ids), **_outcome_columns(batch)}
    results = batch.results
    tools = [tool.id for tool in results.brief.tools]
    lies = _event_columns(results.lies, ("agent", "tick", "caught"), ids, tools)
    hidden = ("agent", "tick", "until", "is_lie")
    quarantines = _event_columns(results.quarantines, hidden, ids, tools)
    return {
        "runs": _table("runs", runs, is_new_run),
        "traces": _table("traces", _trace_columns(batch, ids), is_new_case[results.trace.run]),
        "lies": _table("lies", lies, is_new_case[results.lies.run]),
        "quarantines": _table("quarantines", quarantines, is_new_case[results.quarantines.run]),
    }


def _table(name: str, columns: dict[str, pa.Array], keep: Bools) -> pa.Table:
    schema = SCHEMAS[name]
    arrays = [pa.array(columns[field.name], field.type) for field in schema]
    table = pa.table(arrays, schema=schema)
    return table if keep.all() else table.filter(pa.array(keep))


def _trace_columns(batch: Batch, ids: list[str]) -> dict[str, pa.Array]:
    trace = batch.results.trace
    starts = np.searchsorted(trace.run, np.arange(len(ids))).astype(np.int32)
    words = {
        name: _used_words(getattr(trace, name), trace.strings)
        for name in ("kind", "level", "action", "detail")
    }
    return {
        "case": _words(trace.run.astype(np.int32), ids),
        "agent": trace.agent,
        "tick": trace.tick,
        "seq": np.arange(len(trace), dtype=np.int32) - starts[trace.run],
        "stress": trace.stress,
        "freedom": trace.freedom,
        **words,
    }


def _event_columns(
    events: LieTable | QuarantineTable, names: tuple[str, ...], ids: list[str], tools: list[str]
) -> dict[str, pa.Array]:
    return {
        "case": _words(events.run.astype(np.int32), ids),
        "tool": _words(events.tool, tools),
        **{name: getattr(events, name) for name in names},
    }


def _case_columns(batch: Batch, ids: list[str]) -> dict[str, pa.Array]:
    cases, brief = batch.cases, batch.results.brief
    return {
        "case": ids,
        "group": _same(batch.group, len(ids)),
        "world": _same(brief.world, len(ids)),
        "world_hash": _same(batch.hashes["vfs"], len(ids)),
        "trouble": _per_case(cases, lambda case: case.faults, lambda case: case.trouble),
        "design": _per_case(cases, lambda case: case.cast, lambda case: case.design),
        "seat": _per_case(cases, lambda case: case.cast, lambda case: case.seat),
        "seed": np.array([case.seed for case in cases], dtype=np.int64),
        "number": np.array([len(case.earlier) + 1 for case in cases], dtype=np.int32),
        "episode": np.array([case.episode for case in cases], dtype=np.int64),
        "max_ticks": np.array([case.max_ticks for case in cases], dtype=np.int32),
        "agents": np.array([len(case.cast) for case in cases], dtype=np.int32),
        "run_hash": list(batch.run_hashes),
    }


def _outcome_columns(batch: Batch) -> dict[str, pa.Array]:
    results = batch.results
    sums = {
        name: getattr(results.counts, name).sum(axis=1, dtype=np.int32)
        for name in Counts.__dataclass_fields__
    }
    sums["honest_failures"] = sums.pop("failed")
    return {
        "goal_reached": results.goal_reached,
        "ticks": results.ticks,
        "handed_off": _reasons(results.handed_off, results.trace.strings),
        "declared_done": results.declared_done.any(axis=1),
        "false_completion": results.false_completion,
        "lies_believed": sums["lies_told"] - sums["lies_caught"],
        **sums,
        **_findings(results.findings, len(results)),
    }


def _findings(findings: tuple[Findings, ...] | None, num_runs: int) -> dict[str, pa.Array]:
    names = ("claims", "judgements", "flags")
    if findings is None:
        return {name: pa.nulls(num_runs, pa.int32()) for name in names}
    return {name: np.array([getattr(f, name) for f in findings], dtype=np.int32) for name in names}


def _reasons(codes: Codes, strings: tuple[str, ...]) -> pa.Array:
    # Few distinct combinations of reasons occur, so each is put into words once.
    combinations, which = np.unique(codes, axis=0, return_inverse=True)
    words = [
        "; ".join(dict.fromkeys(strings[code] for code in row if code >= 0)) or None
        for row in combinations.tolist()
    ]
    return pa.array(words, pa.string()).take(pa.array(which.ravel())).dictionary_encode()


def _per_case(
    cases: tuple[Case, ...], part: Callable[[Case], object], text: Callable[[Case], str]
) -> pa.Array:
    """Encodes a text of each case, rendered once for all cases that share the part it shows."""
    # By identity: the cases of a batch mostly share one tuple, and hashing it costs more than all
    # else here.
    codes: dict[str, int] = {}
    by_part: dict[int, int] = {}
    column = np.empty(len(cases), dtype=np.int32)
    for i, case in enumerate(cases):
        key = id(part(case))
        if key not in by_part:
            by_part[key] = codes.setdefault(text(case), len(codes))
        column[i] = by_part[key]
    return _words(column, list(codes))


def _same(text: str, length: int) -> pa.Array:
    return _words(np.zeros(length, dtype=np.int32), [text])


def _words(codes: Codes, strings: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(strings, pa.string()))


def _used_words(codes: Codes, strings: tuple[str, ...]) -> pa.Array:
    """Encodes a column beside only the strings that occur in it."""
    is_used = np.bincount(codes, minlength=len(strings)) > 0
    recode = (np.cumsum(is_used) - 1).astype(np.int32)
    return _words(recode[codes], [strings[i] for i in np.flatnonzero(is_used)])
