"""Run: plays cases, alone or as sequences in which one case leaves something to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from creatura.loop.batch import DEFAULT_MAX_TICKS, Batch, Settings
from creatura.loop.station import Player
from creatura.protocols import Observer
from creatura.results import Results
from creatura.vtc import BackendName
from creatura.world import Episode, Playable


def run(
    world: Playable,
    cast: Sequence[Player],
    episodes: Sequence[Episode],
    *,
    max_ticks: int = DEFAULT_MAX_TICKS,
    observers: Sequence[Observer] = (),
    backend: BackendName = "fused",
) -> Results:
    """Runs W episodes of one world in lockstep, each with the same cast.

    Args:
        cast: The players, in agent order; at least one.
        episodes: What sets the runs apart: seed, episode number and faults.
        max_ticks: Ticks after which an open run ends, 1 or more.
        observers: Watchers without hands; trace rows are the same with and without them.
        backend: `fused`, or `interpreter` for the reference.

    Returns:
        Outcome columns, counts, lies and the trace of every run, in the order of `episodes`.
    """
    settings = Settings(max_ticks, tuple(observers), backend)
    (results,) = run_sequences(world, cast, [[episode] for episode in episodes], settings)
    return results


def run_sequences(
    world: Playable,
    cast: Sequence[Player],
    sequences: Sequence[Sequence[Episode]],
    settings: Settings,
) -> Iterator[Results]:
    """Runs W sequences of cases in lockstep; what extensions carry goes from case to case.

    Args:
        sequences: The episodes of each sequence, in order; all of one length, 1 or more.

    Yields:
        The results of the first case of every sequence, then of the second, and so on.
    """
    for batch in batches(world, cast, sequences, settings):
        batch.advance(settings.max_ticks)
        yield batch.results()


def batches(
    world: Playable,
    cast: Sequence[Player],
    sequences: Sequence[Sequence[Episode]],
    settings: Settings,
) -> Iterator[Batch]:
    """Sets up the first case of W sequences, then the second, and so on.

    A batch comes at its first tick; it is played to its end, if the caller has not done so, before
    the next one is set up.
    """
    assert cast and sequences and settings.max_ticks >= 1, "a run needs a player, a case and a tick"
    legacies = None
    for episodes in zip(*sequences, strict=True):
        batch = Batch(world, cast, episodes, settings, legacies)
        yield batch
        batch.advance(settings.max_ticks)
        legacies = batch.legacies()
