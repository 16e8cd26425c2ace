from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from bench import plots, tables
from bench.report import write_report
from bench.report.headline import Headline, headline
from bench.report.page import gather
from bench.scenarios import ScenarioResult
from bench.store import load_run
from bench.traces import Batch
from creatura.errors import AuthorError
from creatura.world.faults import Fault, Mode
from tests.unit.bench.sample_runs import (
    CAUGHT,
    FOOLED,
    GAVE_UP,
    HONEST,
    SAIL_LIES,
    SCENARIOS,
    Sample,
    batch,
    ferry_batches,
    line,
    stored,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "ferry.md"
PASSED, FAILED = SCENARIOS


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on the sample runs, with a manifest that is the same on every machine."""
    folder = stored(tmp_path_factory.mktemp("reports"), *ferry_batches(), scenarios=SCENARIOS)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest |= {
        "started": "2026-01-01T00:00:00Z", "ended": "2026-01-01T00:00:09Z",
        "versions": {"creatura-bench": "0.0.0", "python": "3.11.0"},
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return write_report(folder)


class Outline(HTMLParser):
    """What a test wants to know of a page."""

    VOID = frozenset({"meta", "br", "link", "img", "use", "path"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag in tags]


# ------------------------------------------------------------------ the two files


def test_the_markdown_report_reads_as_it_should(report: Path) -> None:
    # Hashes move with every new field of a case, which is no change of the report.
    text = re.sub(r"\b[0-9a-f]{16}\b", "HASH", (report.parent / "report.md").read_text("utf-8"))
    assert text == GOLDEN.read_text("utf-8")


def test_a_report_made_twice_is_the_same_to_the_byte(report: Path) -> None:
    made = [p for p in report.parent.rglob("*") if p.suffix in (".html", ".md", ".png")]
    before = {path: path.read_bytes() for path in made}
    assert len(before) == 2 + 1 + 3, "two texts, a grid and three runs"
    write_report(report.parent)
    assert {path: path.read_bytes() for path in made} == before


def test_the_page_needs_no_network_and_no_script(report: Path) -> None:
    html = report.read_text("utf-8")
    page = Outline(html)
    assert not page.all("script", "link", "img", "iframe")
    addresses = set(re.findall(r"https?://[^\"' )]+", html))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)


def test_the_page_is_well_formed_and_every_reference_has_one_target(report: Path) -> None:
    html = report.read_text("utf-8")
    page = Outline(html)
    assert page.open == []
    ids = [attrs["id"] for _, attrs in page.tags if attrs.get("id")]
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r'(?:href="#|url\(#|labelledby=")([^")]+)', html))
    assert wanted
    assert wanted <= set(ids)


def test_every_table_and_picture_says_what_it_is(report: Path) -> None:
    page = Outline(report.read_text("utf-8"))
    assert len(page.all("table")) == len(page.all("caption")) == 8
    pictures = [attrs for attrs in page.all("div") if attrs.get("role") == "img"]
    assert len(pictures) == len(page.all("svg")) == 4
    assert all(attrs["aria-label"] for attrs in pictures)
    headings = [tag for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == "h1"
    assert all(int(b[1]) - int(a[1]) <= 1 for a, b in pairwise(headings))


def test_a_shaded_row_is_one_that_tells_of_a_lie(report: Path) -> None:
    shaded = re.findall(r'<tr class="lie">(.*?)</tr>', report.read_text("utf-8"), re.DOTALL)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in shaded]
    assert [(row[0], row[-1]) for row in cells] == [
        ("2", "contradiction"),
        ("2", "success reported and believed"),
    ]


def test_markup_in_a_name_or_a_message_stays_text(tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script> | `x` $y$"
    sample = Sample((line(1, "refused", nasty, f"refused: {nasty}"),), goal_reached=False)
    scenario = replace(FAILED, name=nasty, message=nasty)
    told = batch(sample, designs=[nasty], faults=(Fault(nasty, Mode.LIE),))
    html = write_report(stored(tmp_path, told, scenarios=[scenario]))
    text = html.read_text("utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; | `x` $y$" in text
    markdown = (html.parent / "report.md").read_text("utf-8")
    assert "<script" not in markdown
    rows = [row for row in markdown.splitlines() if "alert" in row and row.startswith("| 1 |")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [7]


def test_a_run_of_nothing_still_has_a_report(tmp_path: Path) -> None:
    html = write_report(stored(tmp_path)).read_text("utf-8")
    assert "<h1>Nothing was run</h1>" in html
    assert "There is no run to show." in html


def test_a_folder_without_a_finished_run_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(AuthorError, match="holds no run"):
        write_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_cases_that_only_scenarios_asked_for_do_not_skew_the_comparison(tmp_path: Path) -> None:
    apart = batch(GAVE_UP, GAVE_UP, group="features/ferry.feature:4 The ramp lies", first_seed=7)
    page = gather(load_run(stored(tmp_path, batch(HONEST), apart)))
    assert [row[3] for row in page.pooled.rows] == ["1/1"]
    assert "Cases of the plan (1), all" in page.pooled.caption
    assert [row[4] for row in page.by_trouble.rows] == ["1/3"]


# ------------------------------------------------------------------ the headline


def summed_up(tmp_path: Path, batches: list[Batch], *scenarios: ScenarioResult) -> Headline:
    return headline(scenarios, tables.distinct(load_run(stored(tmp_path, *batches)).runs))


def test_failed_scenarios_come_first_and_are_named(tmp_path: Path) -> None:
    refused = ScenarioResult("features/x.feature", 1, "", (), "error", 0.0, "no keyword")
    found = summed_up(tmp_path, [batch(FOOLED)], PASSED, FAILED, refused)
    assert found.title == "2 of 3 scenarios did not pass"
    assert found.points[0].mark == "Look here"
    assert found.points[0].text == (
        "2 of 3 scenarios did not pass: “The crew is back by noon” (features/ferry.feature:11) "
        "and features/x.feature:1."
    )


def test_a_false_completion_is_named_with_its_design_and_world(tmp_path: Path) -> None:
    found = summed_up(tmp_path, [batch(HONEST, FOOLED, designs=["hybrid"])], PASSED)
    assert found.title == "False completion by hybrid"
    assert [(point.mark, point.text) for point in found.points] == [
        (
            "Look here",
            "hybrid in ferry declared the task done over a goal that was not reached, in 1 of 2 "
            "runs.",
        ),
        ("Look here", "hybrid in ferry was told 1 lie, of which 1 went uncaught."),
        ("Fine", "The one scenario passed."),
    ]


def test_an_uncaught_lie_is_told_even_where_the_goal_was_reached(tmp_path: Path) -> None:
    missed = replace(CAUGHT, lies=((0, 2, 1, False),))
    found = summed_up(tmp_path, [batch(missed, CAUGHT, designs=["hybrid"])], PASSED)
    assert found.title == "Lies not caught: hybrid"
    assert "hybrid in ferry was told 2 lies, of which 1 went uncaught." in [
        point.text for point in found.points
    ]


def test_what_befalls_the_control_arm_alone_is_no_alarm(tmp_path: Path) -> None:
    batches = [batch(CAUGHT, designs=["hybrid"]), batch(FOOLED, designs=["careless"])]
    found = summed_up(tmp_path, batches, PASSED)
    assert found.title == "Nothing failed"
    assert [(point.mark, point.text) for point in found.points] == [
        (
            "Control arm",
            "careless in ferry believed 1 of 1 lies and falsely declared the task done in 1 of 1 "
            "runs. Its membrane is off; it is there to be beaten.",
        ),
        ("Fine", "The one scenario passed."),
        ("Fine", "Every task that a design declared done was done."),
        ("Fine", "The one lie told to a design was caught."),
    ]


def test_a_skipped_scenario_is_not_passed_over(tmp_path: Path) -> None:
    found = summed_up(tmp_path, [batch(HONEST)], PASSED, replace(FAILED, outcome="skipped"))
    assert found.title == "Nothing failed; 1 scenario skipped"
    assert found.points[0].text == "1 of 2 scenarios passed, 1 skipped."


def test_a_long_list_of_failures_names_the_first_and_counts_the_rest(tmp_path: Path) -> None:
    many = [replace(FAILED, line=n, name="") for n in range(1, 9)]
    found = summed_up(tmp_path, [], *many)
    assert found.points[0].text.endswith("features/ferry.feature:4 and 4 more.")


# ------------------------------------------------------------------ shown runs and plots


def test_each_shown_run_says_how_it_ended_and_what_the_critic_found(tmp_path: Path) -> None:
    late = Sample((line(1, "landed", "load", "landed"),), goal_reached=False, done=(False,))
    batches = [
        batch(CAUGHT, designs=["a"]),
        batch(GAVE_UP, designs=["b"]),
        batch(FOOLED, designs=["c"]),
        batch(late, designs=["d"], critic=False),
    ]
    shown = gather(load_run(stored(tmp_path, *batches))).shown
    assert [(run.outcome, run.critic) for run in shown] == [
        ("The goal was reached in 5 ticks.", "5 claims, 5 judgements, 1 flag"),
        ("Handed to a person after 1 tick: no route.", "0 claims, 0 judgements, 0 flags"),
        (
            "Declared done after 2 ticks with the goal not reached: a false completion.",
            "3 claims, 3 judgements, 2 flags",
        ),
        ("The goal was not reached in 1 tick.", ""),
    ]


def run_figure(tmp_path: Path, sample: Sample, designs: tuple[str, ...] = ("hybrid",)) -> Figure:
    told = batch(sample, designs=designs, faults=SAIL_LIES)
    run = load_run(stored(tmp_path, told))
    return plots.run_plot("a title", run.traces(), run.lies(), run.quarantines(), sample.ticks)


def legend(figure: Figure, panel: int) -> list[str]:
    found = figure.axes[panel].get_legend()
    assert found is not None
    return [text.get_text() for text in found.get_texts()]


def test_a_plot_shows_each_lie_and_the_ticks_its_tool_was_hidden(tmp_path: Path) -> None:
    lane, stress, freedom = run_figure(tmp_path, CAUGHT).axes
    assert [text.get_text() for text in lane.get_yticklabels()] == ["sail"]
    assert [mark.get_xdata().tolist() for mark in lane.lines] == [[2]]
    (hidden,) = lane.patches
    assert (hidden.get_x(), hidden.get_x() + hidden.get_width()) == (2.5, 4.5)
    for panel in (stress, freedom):
        (shade,) = panel.patches
        assert (shade.get_x(), shade.get_x() + shade.get_width()) == (2.5, 4.5)


def test_a_believed_lie_has_a_mark_of_its_own(tmp_path: Path) -> None:
    caught, believed = run_figure(tmp_path / "a", CAUGHT), run_figure(tmp_path / "b", FOOLED)
    assert legend(caught, 0) == ["lie, caught", "hidden"]
    assert legend(believed, 0) == ["lie, believed"]
    faces = [figure.axes[0].lines[0].get_markerfacecolor() for figure in (caught, believed)]
    assert faces == [plots.VERMILLION, "none"]


def test_a_level_that_speaks_twice_in_a_tick_is_drawn_where_it_ended(tmp_path: Path) -> None:
    twice = Sample((line(1, "held", "load", "a", stress=0.2), line(1, "held", "load", "b")))
    assert run_figure(tmp_path, twice).axes[0].lines[0].get_ydata().tolist() == [0.0]


def test_dollar_signs_in_a_name_are_no_formula(tmp_path: Path) -> None:
    run = load_run(stored(tmp_path, batch(HONEST)))
    figure = plots.run_plot("$a$ to $b$", run.traces(), run.lies(), run.quarantines(), 2)
    assert "$a$ to $b$" in plots.render_svg(figure, "key")


def test_a_run_without_lies_has_no_lanes(tmp_path: Path) -> None:
    assert len(run_figure(tmp_path, HONEST).axes) == 2


def test_stress_is_drawn_level_by_level_and_freedom_once_where_all_agree(tmp_path: Path) -> None:
    figure = run_figure(tmp_path, CAUGHT)
    assert legend(figure, 1) == ["tissue", "cell", "organism"]
    assert legend(figure, 2) == ["all levels"]


def test_a_level_that_is_silent_holds_what_it_last_said(tmp_path: Path) -> None:
    cell = run_figure(tmp_path, CAUGHT).axes[1].lines[1]
    assert cell.get_xdata().tolist() == [1, 2, 3, 4, 5]
    assert cell.get_ydata().tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert cell.get_markevery().tolist() == [True, True, False, False, True]


def test_closing_rows_do_not_pull_freedom_down(tmp_path: Path) -> None:
    freedom = run_figure(tmp_path, CAUGHT).axes[2].lines[0]
    assert freedom.get_ydata().tolist() == [0.65, 0.65, 0.65, 0.65, 0.8]


def test_agents_are_told_apart_where_there_are_several(tmp_path: Path) -> None:
    lines = (line(1, "landed", "load", "landed"), line(1, "held", "load", "held back", agent=1))
    pair = Sample(lines, done=(True, False), handed_off=(None, None))
    figure = run_figure(tmp_path, pair, ("plain", "plain"))
    assert legend(figure, 0) == ["agent 0: agent", "agent 1: agent"]
    (shown,) = gather(load_run(tmp_path / "sample")).shown
    assert shown.trace.columns[0] == "agent"


def test_ticks_are_whole_numbers_even_in_a_run_of_one_tick(tmp_path: Path) -> None:
    axis = run_figure(tmp_path, GAVE_UP).axes[-1]
    low, high = axis.get_xlim()
    assert [tick for tick in axis.get_xticks() if low <= tick <= high] == [1]


def test_the_goal_grid_says_not_run_where_a_design_met_no_such_trouble() -> None:
    cells = pd.DataFrame(
        {
            "world": ["ferry", "ferry", "port"],
            "design": ["plain", "hybrid", "plain"],
            "reached": [1, 2, 0],
            "runs": [2, 2, 3],
        }
    )
    (axis,) = plots.goal_plot(cells, cells["world"].tolist()).axes
    assert [text.get_text() for text in axis.texts] == ["1/2", "2/2", "0/3", "not run"]


def test_a_picture_follows_the_theme_of_its_page(tmp_path: Path) -> None:
    svg = plots.render_svg(run_figure(tmp_path, CAUGHT), "key")
    assert "var(--ink, " in svg
    assert not re.search(rf"(?<!, ){plots.INK}", svg)
    assert "<dc:date>" not in svg
