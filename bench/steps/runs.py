"""Runs: who plays, with which seat, and for how long."""

from __future__ import annotations

from pytest_bdd import when

from bench.arguments import Sentence
from bench.limits import COUNT_RANGE, MAX_CASES, is_count
from bench.scene import Scene
from creatura import resolver


@when(
    Sentence(
        "the design {design:Name} runs with the {seat:Name} seat for at most {ticks:Count} ticks"
    )
)
def one_design_runs(scene: Scene, design: str, seat: str, ticks: int) -> None:
    """Plays one design once.

    Example: When the design "hybrid" runs with the "bfs" seat for at most 40 ticks
    """
    scene.play([design], seat, ticks)


@when(
    Sentence(
        "the designs {designs:Names} run with the {seat:Name} seat for at most {ticks:Count} ticks"
    )
)
def some_designs_run(scene: Scene, designs: tuple[str, ...], seat: str, ticks: int) -> None:
    """Plays some designs, each alone in the same world with the same trouble.

    Example: When the designs "plain" and "hybrid" run with the "bfs" seat for at most 40 ticks
    """
    scene.play(designs, seat, ticks)


@when(
    Sentence(
        "the designs {designs:Names} run together with the {seat:Name} seat "
        "for at most {ticks:Count} ticks"
    )
)
def some_designs_run_together(
    scene: Scene, designs: tuple[str, ...], seat: str, ticks: int
) -> None:
    """Plays one run of several agents in one world; the first design is agent 0.

    Example: When the designs "bach" and "bach" run together with the "bfs" seat for at most 9 ticks
    """
    scene.play_together(designs, seat, ticks)


@when(Sentence("every design runs with the {seat:Name} seat for at most {ticks:Count} ticks"))
def every_design_runs(scene: Scene, seat: str, ticks: int) -> None:
    """Plays every design there is but the control arm, each alone.

    Example: When every design runs with the "bfs" seat for at most 40 ticks
    """
    names = [entry.name for entry in resolver.designs() if entry.name != resolver.CONTROL_ARM]
    scene.play(names, seat, ticks)


@when(
    Sentence(
        "the design {design:Name} runs {runs:Count} times with the {seat:Name} seat "
        "for at most {ticks:Count} ticks"
    )
)
def one_design_runs_often(scene: Scene, design: str, runs: int, seat: str, ticks: int) -> None:
    """Plays one design in so many runs that differ by their seed only.

    Example: When the design "plain" runs 100 times with the "bfs" seat for at most 40 ticks
    """
    assert is_count(runs), f"a design runs {COUNT_RANGE} times, found {runs}"
    scene.play([design], seat, ticks, range(scene.seed, scene.seed + runs))


@when(
    Sentence(
        "the design {design:Name} runs {cases:Count} cases in a row with the {seat:Name} seat "
        "for at most {ticks:Count} ticks"
    )
)
def one_design_runs_in_a_row(scene: Scene, design: str, cases: int, seat: str, ticks: int) -> None:
    """Plays one case after another, all with the same trouble; an extension may carry a record.

    Example: When the design "hybrid" runs 10 cases in a row with the "bfs" seat for at most 9 ticks
    """
    assert 1 <= cases <= MAX_CASES, (
        f"a design runs 1 to {MAX_CASES:,} cases in a row, found {cases}"
    )
    scene.play_in_a_row(design, seat, ticks, cases)


@when(Sentence("the design {design:Name} follows this script"))
def one_design_follows(scene: Scene, design: str, datatable: list[list[str]]) -> None:
    """Plays one design whose seat names the tools of a table, one a tick, offered or not.

    Example: When the design "plain" follows this script
    """
    heading, *lines = datatable
    assert heading == ["tool"], f"the table has one column, 'tool'; found {' | '.join(heading)}"
    assert lines, "the script has no lines; write one tool a line"
    script = [line for (line,) in lines]
    for line in script:
        assert line and "," not in line, f"a line names one tool, or - for none; found '{line}'"
    scene.play([design], f"script:{','.join(script)}", len(script))
