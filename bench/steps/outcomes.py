"""Outcomes: how the runs of a scenario ended."""

from __future__ import annotations

from pytest_bdd import then

from bench import expected
from bench.arguments import Sentence
from bench.scene import Run, Scene
from creatura.critic import closing_line
from creatura.errors import did_you_mean
from creatura.results import Counts

_COUNTS = ("ticks", *Counts.__dataclass_fields__)


@then(Sentence("the goal is reached in {ticks:Span} ticks"))
def goal_reached_in(scene: Scene, ticks: tuple[int, int]) -> None:
    """Every run reaches the goal, in so many ticks.

    Example: Then the goal is reached in 7 to 9 ticks
    """
    low, high = ticks
    shown = f"{low}" if low == high else f"{low} to {high}"

    def finding(run: Run) -> str | None:
        return None if run.goal_reached and low <= run.ticks <= high else run.came_to

    scene.check(f"the goal to be reached in {shown} ticks", finding)


@then(Sentence("the goal is not reached"))
def goal_not_reached(scene: Scene) -> None:
    """No run reaches the goal, whatever it was declared to be.

    Example: Then the goal is not reached
    """
    scene.check("the goal not to be reached", lambda run: run.came_to if run.goal_reached else None)


@then(Sentence("the run is a false completion"))
def false_completion(scene: Scene) -> None:
    """Every run is declared done over a goal that does not hold.

    Example: Then the run is a false completion
    """
    scene.check("a false completion", lambda run: None if run.false_completion else run.came_to)


@then(Sentence("no run is a false completion"))
def no_false_completion(scene: Scene) -> None:
    """Nothing is declared done that is not.

    Example: Then no run is a false completion
    """
    scene.check("no false completion", lambda run: run.came_to if run.false_completion else None)


@then(Sentence("the task is handed to a person at tick {tick:Tick} because of {reason:Name}"))
def handed_off(scene: Scene, tick: int, reason: str) -> None:
    """Every run ends by handing off, at this tick and with a reason that begins like this.

    Example: Then the task is handed to a person at tick 9 because of "no route"
    """

    def finding(run: Run) -> str | None:
        given = run.results.reason(run.index) or ""
        return None if given.startswith(reason) and run.ticks == tick else run.came_to

    scene.check(f"a hand-off at tick {tick} because of '{reason}'", finding)


@then(Sentence("the runs end like this"))
def runs_end_like(scene: Scene, datatable: list[list[str]]) -> None:
    """When and how each agent's part ends: done, false completion, handed off, or time up.

    Example: Then the runs end like this
    """
    table = expected.read(datatable, ("agent", "tick", "end", "reason"))
    table.check_runs(scene.runs())

    def finding(run: Run) -> str | None:
        shown = table.shown(
            {"agent": str(e.agent), "tick": str(e.tick), "end": e.end, "reason": e.reason}
            for e in run.ends()
        )
        return expected.difference(table.of(run), shown)

    scene.check("the runs to end like this", finding)


@then(Sentence("the runs come to these counts"))
def runs_come_to(scene: Scene, datatable: list[list[str]]) -> None:
    """What the acts of all agents came to: acts, landed, failed, lies told, ticks and more.

    Example: Then the runs come to these counts
    """
    heading, *rows = datatable
    table = expected.read([[name.replace(" ", "_") for name in heading], *rows], _COUNTS)
    table.check_runs(scene.runs())

    def finding(run: Run) -> str | None:
        rows = table.of(run)
        if not rows:
            return "no row of the table is about this run"
        shown = table.shown([{column: str(run.count(column)) for column in table.columns}])
        return expected.difference(rows, shown)

    scene.check("these counts", finding)


@then(Sentence("the fact {fact:Name} is absent when the run closes"))
def fact_absent(scene: Scene, fact: str) -> None:
    """The facts themselves say so, whatever was reported.

    Example: Then the fact "fixed" is absent when the run closes
    """

    def finding(run: Run) -> str | None:
        brief = run.results.brief
        facts, hint = brief.facts, did_you_mean(fact, brief.facts)
        assert fact in facts, f"world '{brief.world}' has no fact '{fact}'{hint}"
        held = run.results.final_facts[run.index] >> facts.index(fact) & 1
        return f"'{fact}' holds" if held else None

    scene.check(f"'{fact}' to be absent", finding)


@then(Sentence("the critic closes every run with"))
def critic_closes(scene: Scene, datatable: list[list[str]]) -> None:
    """The critic's own count of what was claimed, judged and flagged.

    Example: Then the critic closes every run with
    """
    heading, *rows = datatable
    columns = ["claims", "judgements", "flags"]
    assert heading == columns, f"the table has the columns {columns}; found {heading}"
    assert len(rows) == 1, f"the table has one row; found {len(rows)}"

    def finding(run: Run) -> str | None:
        assert run.results.findings is not None, "no critic watched these runs"
        found = run.results.findings[run.index]
        counts = [str(found.claims), str(found.judgements), str(found.flags)]
        return None if counts == rows[0] else closing_line(found)

    scene.check(", ".join(f"{n} {name}" for n, name in zip(rows[0], columns, strict=True)), finding)
