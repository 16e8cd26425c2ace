"""Scripted: a seat that names the tools of a list, one a tick.

A tick that is refused, held or spent on a probe passes like any other, so line k is always what is
named in tick k. After the last line it sees no route.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

from creatura.errors import AuthorError
from creatura.protocols import Answer, SeatBatch

_ENDED = Answer(None, why="the script has ended")
WAIT = "-"  # a line that names no tool


@final
@dataclass(frozen=True, slots=True)
class Scripted:
    """Replays tool ids whether or not they are offered; the gatekeeper refuses what is not.

    Attributes:
        lines: One tool id a tick; `-` lets the tick pass.
        name: Where the lines come from, which is no part of what the seat does.
    """

    lines: tuple[str, ...]
    name: str = field(default="scripted", compare=False)

    def decide(self, batch: SeatBatch) -> Sequence[Answer]:
        """Answers the same line in every run, since all runs are in the same tick."""
        if batch.tick > len(self.lines):
            return [_ENDED] * len(batch)
        line = self.lines[batch.tick - 1]
        answer = (
            Answer(None, passes=True)
            if line == WAIT
            else Answer(line, why=f"script line {batch.tick}")
        )
        return [answer] * len(batch)


def parse_script(text: str) -> Scripted:
    """Names the tools of a list, one a tick: `script:read-logs,diagnose`; `-` names none."""
    lines = tuple(word.strip() for word in text.split(","))
    if not all(lines):
        raise AuthorError.at(
            "script", f"an empty place in '{text}'; write - for a tick without a tool"
        )
    return Scripted(lines, f"script:{text}")


def load_script(text: str) -> Scripted:
    """Reads a script from a file: one tool id a line; blank lines and `#` comments are skipped.

    Raises:
        AuthorError: The file cannot be read or names no tool.
    """
    path = Path(text)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise AuthorError.at(str(path), "is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise AuthorError.at(str(path), f"the script cannot be read: {reason}") from None
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    kept = tuple(line for line in lines if line)
    if not kept:
        raise AuthorError.at(str(path), "names no tool; write one tool id a line")
    return Scripted(kept, f"scripted:{path}")
