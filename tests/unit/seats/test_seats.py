"""Seats: the planner's plans, and the script's lines."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from creatura import loop, resolver
from creatura.errors import AuthorError
from creatura.protocols import Answer, SeatBatch
from creatura.seats.bfs import Bfs
from creatura.seats.scripted import load_script
from creatura.world import Episode, Fault, Mode, parse_world
from tests.worlds import LIE, ferry, play, restore_service, shown


@dataclass(frozen=True)
class Watched:
    """A seat that keeps what it was shown."""

    inner: Bfs = field(default_factory=Bfs)
    name: str = "watched"
    seen: list[SeatBatch] = field(default_factory=list)

    def decide(self, batch):
        self.seen.append(batch)
        return self.inner.decide(batch)


def shown_tools(seat: Watched, tick: int) -> set[str]:
    (batch,) = [batch for batch in seat.seen if batch.tick == tick]
    mask = batch.offered[0] | batch.ahead[0]
    return {tool.id for tool in batch.brief.tools if mask >> tool.index & 1}


@given(st.lists(st.integers(1, 8), max_size=4, unique=True), st.sampled_from(["plain", "hybrid"]))
def test_the_planner_never_receives_a_hidden_tool(ticks, design):
    seat = Watched()
    faults = [Fault(t.id, Mode.LIE, ticks=tuple(ticks)) for t in ferry().brief.tools if ticks]
    results = loop.run(
        ferry(),
        [loop.Player(resolver.design(design), seat)],
        [Episode(0, 0, tuple(faults))],
        backend="interpreter",
    )
    tools = results.brief.tools
    for _, tick, tool, until in results.quarantines.of(0):
        for batch in seat.seen:
            if tick < batch.tick <= until:
                assert not (batch.offered[0] | batch.ahead[0]) >> tool & 1, tools[tool].id


def test_after_a_lie_the_tool_is_shown_again_on_the_fourth_tick():
    world = parse_world(
        """
name: long-way
facts: [a, b, c, d, e, done]
tools:
  liar: {grants: [done]}
  one: {grants: [a]}
  two: {requires: [a], grants: [b]}
  three: {requires: [b], grants: [c]}
  four: {requires: [c], grants: [d]}
  five: {requires: [d], grants: [done]}
task: {goal: done}
"""
    )
    seat = Watched()
    loop.run(
        world,
        [loop.Player(resolver.design("plain"), seat)],
        [Episode(0, 0, (Fault("liar", Mode.LIE, times=1),))],
        backend="interpreter",
    )
    ticks_shown = [tick for tick in range(1, 6) if "liar" in shown_tools(seat, tick)]
    assert ticks_shown == [1, 5]


def test_a_plan_is_shortest_and_ties_go_to_the_tool_declared_first():
    results = play(ferry(), "hybrid")
    first = next(results.trace.rows(0))
    assert first.detail == "plan: check-tickets → load-cars → raise-ramp → sail"


def test_the_planner_sees_no_route_where_there_is_none():
    world = parse_world(
        "{name: stuck, facts: [a, b], tools: {work: {requires: [b], grants: [a]}}, task: {goal: a}}"
    )
    results = play(world)
    assert shown(results) == [(1, "handed-off", "hand off")]
    assert results.reason(0) == "no route"


def test_a_goal_may_ask_for_a_fact_to_be_gone():
    world = parse_world(
        """
name: clean
facts: [{dirty: true}, washed]
tools: {wash: {grants: [washed], revokes: [dirty]}}
task: {goal: washed and not dirty}
"""
    )
    assert play(world).ticks[0] == 1


def test_a_hidden_tool_that_a_script_names_is_refused_and_the_tick_passes():
    script = "script:read-logs,diagnose,apply-patch,apply-patch,apply-config"
    results = play(restore_service(), "plain", LIE, seat=script)
    assert shown(results)[3:5] == [(4, "refused", "apply-patch"), (5, "landed", "apply-config")]
    assert results.counts.refused[0, 0] == 1
    assert results.counts.acts[0, 0] == 4


def test_a_seat_that_names_no_tool_of_the_world_is_refused_word_for_word():
    @dataclass(frozen=True)
    class Babbling:
        name: str = "babbling"

        def decide(self, batch):
            return [Answer("DROP TABLE tools")] * len(batch)

    results = loop.run(
        restore_service(),
        [loop.Player(resolver.design("plain"), Babbling())],
        [Episode()],
        max_ticks=2,
        backend="interpreter",
    )
    assert shown(results)[0] == (1, "refused", "DROP TABLE tools")


def test_a_script_file_has_comments_and_blank_lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("# first\nread-logs\n\ndiagnose  # then this\n", encoding="utf-8")
    assert load_script(str(path)).lines == ("read-logs", "diagnose")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "scripted:nowhere.txt",
            "nowhere.txt: the script cannot be read: no such file or directory",
        ),
        ("scripted", "command line: seat 'scripted' needs more: write scripted:PATH"),
        ("scriptd:x", "command line: unknown kind of seat 'scriptd'; did you mean 'scripted'?"),
        ("bsf", "command line: unknown seat 'bsf'; did you mean 'bfs'?"),
        ("script:a,,b", "script: an empty place in 'a,,b'; write - for a tick without a tool"),
        ("bfs(max_states='x')", "command line: seat 'bfs': option 'max_states' is int, found 'x'"),
    ],
)
def test_a_bad_seat_gets_a_sentence(name, message):
    with pytest.raises(AuthorError) as error:
        resolver.seat(name)
    assert str(error.value) == message
