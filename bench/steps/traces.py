"""Traces: what the runs of a scenario show, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_bdd import then

from bench.arguments import Sentence
from bench.expected import Expected, difference, in_a_line, read
from bench.scene import Run, Scene
from creatura.errors import did_you_mean
from creatura.protocols import Brief
from creatura.results import TraceRow

_ROW: Mapping[str, Callable[[TraceRow], str]] = {
    "tick": lambda row: str(row.tick),
    "agent": lambda row: str(row.agent),
    "kind": lambda row: row.kind,
    "level": lambda row: row.level,
    "stress": lambda row: f"{row.stress:.2f}",
    "freedom": lambda row: f"{row.freedom:.2f}",
    "action": lambda row: row.action,
    "detail": lambda row: row.detail,
}
_LIE_COLUMNS = ("tick", "agent", "tool", "caught")
_REFUSAL_COLUMNS = ("tick", "agent", "tool", "reason")
_SPAN_COLUMNS = ("from", "to", "agent")


@then(Sentence("the trace shows these rows"))
def trace_shows(scene: Scene, datatable: list[list[str]]) -> None:
    """Every run's trace has each of these rows, in this order; numbers at two decimals.

    Agents count from 0. A column `case` or `design` says whose rows they are.

    Example: Then the trace shows these rows
    """
    table = _table(scene, datatable, tuple(_ROW))

    def finding(run: Run) -> str | None:
        shown = [[_ROW[column](row) for column in table.columns] for row in run.rows]
        missing = _first_missing(table.of(run), shown)
        if missing is None:
            return None
        at_tick = missing[table.columns.index("tick")] if "tick" in table.columns else None
        near = [line for line, row in zip(shown, run.rows, strict=True) if str(row.tick) == at_tick]
        lines = [f"no row {in_a_line(missing)}; at that tick it shows", *map(in_a_line, near)]
        return "\n".join(lines)

    scene.check("these rows, in order", finding)


@then(Sentence("every trace shows these lies and no others"))
def these_lies_and_no_others(scene: Scene, datatable: list[list[str]]) -> None:
    """What was told, when, to which agent, and whether the membrane caught it on that tick.

    Example: Then every trace shows these lies and no others
    """
    table = _table(scene, datatable, _LIE_COLUMNS)

    def finding(run: Run) -> str | None:
        tools = run.results.brief.tools
        told = [
            {
                "tick": str(tick),
                "agent": str(agent),
                "tool": tools[tool].id,
                "caught": "yes" if caught else "no",
            }
            for agent, tick, tool, caught in run.results.lies.of(run.index)
        ]
        return difference(table.of(run), table.shown(told))

    scene.check("these lies and no others", finding)


@then(Sentence("no lie is told"))
def no_lie_is_told(scene: Scene) -> None:
    """Every report of success was true.

    Example: Then no lie is told
    """

    def finding(run: Run) -> str | None:
        tools = run.results.brief.tools
        told = [f"{tools[t].id} at tick {tick}" for _, tick, t, _ in run.results.lies.of(run.index)]
        return f"lies by {', '.join(told)}" if told else None

    scene.check("no lie", finding)


@then(Sentence("every lie that is told is caught"))
def every_lie_is_caught(scene: Scene) -> None:
    """No lie is believed, in any run; fails if none was told, since that shows nothing.

    Example: Then every lie that is told is caught
    """
    runs = scene.runs()
    told = sum(1 for run in runs for _ in run.results.lies.of(run.index))
    assert told, "no lie was told, so nothing could be caught"

    def finding(run: Run) -> str | None:
        tools = run.results.brief.tools
        believed = [
            f"{tools[tool].id} at tick {tick}"
            for _, tick, tool, caught in run.results.lies.of(run.index)
            if not caught
        ]
        return f"believed {', '.join(believed)}" if believed else None

    scene.check("every lie to be caught", finding)


@then(Sentence("the tool {tool:Name} is hidden in these ticks and no others"))
def hidden_in(scene: Scene, tool: str, datatable: list[list[str]]) -> None:
    """When the membrane kept a tool from the seat, as far as the run went.

    Example: Then the tool "apply-patch" is hidden in these ticks and no others
    """
    table = _table(scene, datatable, _SPAN_COLUMNS)

    def finding(run: Run) -> str | None:
        wanted = _index_of(tool, run.results.brief)
        spans = [
            (agent, tick + 1, min(until, run.ticks))
            for agent, tick, hidden, until in run.results.quarantines.of(run.index)
            if hidden == wanted
        ]
        seen = [
            {"agent": str(agent), "from": str(first), "to": str(last)}
            for agent, first, last in spans
            if first <= last
        ]
        return difference(table.of(run), table.shown(seen))

    scene.check(f"'{tool}' to be hidden in these ticks and no others", finding)


@then(Sentence("these calls are refused and no others"))
def these_calls_are_refused(scene: Scene, datatable: list[list[str]]) -> None:
    """What the gatekeeper did not let run, and why.

    Example: Then these calls are refused and no others
    """
    table = _table(scene, datatable, _REFUSAL_COLUMNS)

    def finding(run: Run) -> str | None:
        refused = [
            {
                "tick": str(row.tick),
                "agent": str(row.agent),
                "tool": row.action,
                "reason": row.detail.removeprefix("refused: "),
            }
            for row in run.rows
            if row.kind == "refused"
        ]
        return difference(table.of(run), table.shown(refused))

    scene.check("these refusals and no others", finding)


def _table(scene: Scene, datatable: list[list[str]], known: tuple[str, ...]) -> Expected:
    table = read(datatable, known)
    table.check_runs(scene.runs())
    return table


def _index_of(tool: str, brief: Brief) -> int:
    tools = [known.id for known in brief.tools]
    assert tool in tools, f"world '{brief.world}' has no tool '{tool}'{did_you_mean(tool, tools)}"
    return tools.index(tool)


def _first_missing(expected: list[list[str]], shown: list[list[str]]) -> list[str] | None:
    rest = iter(shown)
    return next((row for row in expected if row not in rest), None)
