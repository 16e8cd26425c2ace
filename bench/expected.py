"""Expected: the table under a Then step, and which of its rows are about which run.

A column `design` or `case` says whose a row is; without one, every row is about every run. The
other columns are what the step compares. A row that is about no run at all is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.arguments import Sentence
from bench.scene import Run
from creatura.errors import did_you_mean

WHOSE = ("design", "case")
_CASES = Sentence("{cases:Span}")


@dataclass(frozen=True, slots=True)
class Expected:
    """What runs should show.

    Attributes:
        columns: The compared columns, as the table orders them.
        rows: Their cells.
        whose: For each row, the cells of `design` and `case` that it has.
    """

    columns: tuple[str, ...]
    rows: tuple[list[str], ...]
    whose: tuple[Mapping[str, str], ...]

    def of(self, run: Run) -> list[list[str]]:
        """Returns the rows about one run, in order."""
        pairs = zip(self.rows, self.whose, strict=True)
        return [row for row, whose in pairs if _is_about(run, whose)]

    def check_runs(self, runs: Sequence[Run]) -> None:
        """Refuses a row that is about none of the runs.

        Raises:
            AssertionError: There is one.
        """
        designs = list(dict.fromkeys(run.case.design for run in runs))
        for whose in self.whose:
            design = whose.get("design", designs[0])
            hint = did_you_mean(design, designs)
            assert design in designs, f"no run of '{design}'{hint}; it was {' and '.join(designs)}"
            low, high = _span(whose.get("case", "1"))
            known = {run.number for run in runs}
            assert {low, high} <= known, f"no case {whose['case']}; they are 1 to {max(known)}"

    def shown(self, shown: Iterable[Mapping[str, str]]) -> list[list[str]]:
        """Puts what a run shows into the order of the compared columns."""
        return [[cells[column] for column in self.columns] for cells in shown]


def read(datatable: Sequence[Sequence[str]], known: Sequence[str]) -> Expected:
    """Reads a table whose columns are some of the known ones, `design` and `case`.

    Raises:
        AssertionError: A column is unknown, nothing is compared, or there are no rows.
    """
    heading, *lines = datatable
    for column in heading:
        hint = did_you_mean(column, [*known, *WHOSE])
        assert column in (*known, *WHOSE), f"no column '{column}'{hint}"
    compared = tuple(column for column in heading if column not in WHOSE)
    assert compared, f"the table compares nothing; its columns may be {', '.join(known)}"
    assert lines, "the table has no rows; to say that there are none, use the step that says so"
    rows = [dict(zip(heading, line, strict=True)) for line in lines]
    return Expected(
        columns=compared,
        rows=tuple([row[column] for column in compared] for row in rows),
        whose=tuple({c: cell for c, cell in row.items() if c in WHOSE} for row in rows),
    )


def difference(expected: list[list[str]], shown: list[list[str]]) -> str | None:
    """Says what a table lacks and what it also has, a line each; None where nothing differs.

    >>> print(difference([["4", "6"]], [["4", "5"]]))
    lacks | 4 | 6 |
    also has | 4 | 5 |
    """
    if expected == shown:
        return None
    missing = [row for row in expected if row not in shown]
    extra = [row for row in shown if row not in expected]
    lines = [f"lacks {in_a_line(row)}" for row in missing]
    lines += [f"also has {in_a_line(row)}" for row in extra]
    return "\n".join(lines) or f"has them otherwise: {'; '.join(map(in_a_line, shown))}"


def in_a_line(row: Sequence[str]) -> str:
    """Writes a row the way it stands in a feature file."""
    return f"| {' | '.join(row)} |"


def _is_about(run: Run, whose: Mapping[str, str]) -> bool:
    low, high = _span(whose.get("case", str(run.number)))
    return whose.get("design", run.case.design) == run.case.design and low <= run.number <= high


def _span(cell: str) -> tuple[int, int]:
    """Reads one case or several.

    >>> _span("3"), _span("2 to 10")
    ((3, 3), (2, 10))
    """
    found = _CASES.parse_arguments(cell)
    assert found is not None, f"a case is a number, or several as in 2 to 10, found '{cell}'"
    low, high = found["cases"]
    return low, high
