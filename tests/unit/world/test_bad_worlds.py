"""Bad worlds: every mistake an author can make in a world file, and the exact words that answer it.

`tests/golden/bad_worlds` holds a small file a mistake and the whole text of its refusal.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from creatura.errors import AuthorError
from creatura.world import load_world

BAD_WORLDS = Path(__file__).parents[2] / "golden" / "bad_worlds"
CASES = sorted(path.stem for path in BAD_WORLDS.glob("*.yaml"))


def refusal_of(path: Path) -> str:
    with pytest.raises(AuthorError) as caught:
        load_world(path)
    return str(caught.value)


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_gets_its_answer(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD_WORLDS)  # so that the answer names the file and not where it lies
    assert refusal_of(Path(f"{case}.yaml")) == (BAD_WORLDS / f"{case}.txt").read_text().rstrip("\n")


def test_every_answer_has_its_mistake() -> None:
    assert sorted(path.stem for path in BAD_WORLDS.glob("*.txt")) == CASES
