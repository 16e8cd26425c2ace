"""Trouble: what a failing scenario prints can be run, and gives back the same fault."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.trouble import ANY_MODE, MODE_OPTIONS, parse_faults, render_fault, render_faults
from creatura.errors import AuthorError
from creatura.world import TAKES_DELAY, TAKES_FACT, Fault, Mode

COUNTS = st.integers(1, 9)


@st.composite
def any_fault(draw: st.DrawFn) -> Fault:
    mode = draw(st.sampled_from(list(Mode)))
    schedule = draw(
        st.sampled_from(
            [
                {},
                {"times": draw(COUNTS)},
                {"ticks": tuple(draw(st.lists(COUNTS, min_size=1, max_size=3)))},
                {"probability": draw(st.floats(0, 1))},
            ]
        )
    )
    extra: dict[str, object] = {}
    if mode in TAKES_DELAY:
        extra["delay"] = draw(COUNTS)
    if mode in TAKES_FACT:
        extra["fact"] = "some_fact"
    agent = draw(st.none() | st.integers(0, 3))
    return Fault("a-tool", mode, agent=agent, **schedule, **extra)


@given(any_fault())
def test_a_printed_fault_reads_back_as_itself(fault):
    option, text = render_fault(fault)
    assert parse_faults(option.removeprefix("--"), [text]) == [fault]


@given(st.lists(any_fault(), max_size=4))
def test_printed_faults_read_back_in_the_same_order(faults):
    words = render_faults(faults)
    pairs = list(zip(words[::2], words[1::2], strict=True))
    read = [
        fault
        for option in (*MODE_OPTIONS, ANY_MODE)  # the order in which a command line is read
        for fault in parse_faults(option, [text for word, text in pairs if word == f"--{option}"])
    ]
    assert read == faults


def test_faults_are_printed_in_short_where_that_keeps_their_order():
    lie, fail = Fault("sail", Mode.LIE), Fault("sail", Mode.FAIL)
    assert render_faults([lie, fail]) == ["--lie", "sail:always", "--fail", "sail:always"]


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("fault", "sail:lat", "unknown mode 'lat'; did you mean 'late'?"),
        ("fault", "sail:damage", "mode 'damage' needs fact=NAME"),
        ("fault", "sail:late:dely=3", "unknown schedule 'dely'; did you mean 'delay'?"),
        ("lie", "sail:once=3", "'once' takes no value; write times=3 to count calls"),
        ("lie", "sail:agent=-1", "'agent=' cannot be '-1' (0 or more)"),
    ],
)
def test_a_part_that_is_unknown_gets_a_sentence(option, text, message):
    with pytest.raises(AuthorError) as error:
        parse_faults(option, [text])
    assert str(error.value) == f"command line: --{option} {text}: {message}"
