"""Small worlds and runs that several tests share."""

from collections.abc import Sequence

from creatura import loop, resolver
from creatura.protocols import LayerOptions, Regulator
from creatura.results import Results
from creatura.world import Episode, Fault, Mode, World, load_world, parse_world

LIE = Fault("apply-patch", Mode.LIE, times=1)


def restore_service() -> World:
    return load_world(resolver.world_file("restore-service"))


def ferry(extra: str = "", goal: str = "docked") -> World:
    """Two ways up for a ramp, and a release at the end."""
    return parse_world(
        f"""
name: ferry-crossing
facts: [tickets_checked, loaded, ramp_up, docked]
tools:
  check-tickets: {{grants: [tickets_checked]}}
  load-cars: {{requires: [tickets_checked], grants: [loaded]}}
  raise-ramp: {{requires: [loaded], grants: [ramp_up]}}
  winch-ramp: {{requires: [loaded], grants: [ramp_up], cost: 0.2}}
  sail: {{requires: [ramp_up], grants: [docked], release: true}}
task: {{goal: {goal}, obligations: [tickets_checked, loaded, ramp_up, docked]}}
{extra}
""",
        "ferry.yaml",
    )


def play(
    world: World,
    design: str | Regulator = "plain",
    *faults: Fault,
    seat: str = "bfs",
    seeds: Sequence[int] = (0,),
    layer: LayerOptions | None = None,
    max_ticks: int = 40,
    critic: bool = True,
) -> Results:
    """Plays one design, once for each seed."""
    regulator = resolver.design(design) if isinstance(design, str) else design
    return loop.run(
        world,
        [loop.Player(regulator, resolver.seat(seat), layer)],
        [Episode(seed, 0, faults) for seed in seeds],
        max_ticks=max_ticks,
        observers=[resolver.observer("critic")] if critic else [],
        backend="interpreter",
    )


def shown(results: Results, run: int = 0) -> list[tuple[int, str, str]]:
    """A run's trace as (tick, kind, action)."""
    return [(row.tick, row.kind, row.action) for row in results.trace.rows(run)]
