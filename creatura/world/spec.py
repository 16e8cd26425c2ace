"""Spec: what an author may write in a world file.

The models check the shape of each entry; what entries say of one another (a tool that names an
unknown fact, a fault of an unknown tool) is checked in `expand`, for the whole file at once.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)

from creatura.errors import shown
from creatura.vfs.fields import Ends, Number
from creatura.vfs.normalise import LARGEST, Normalization
from creatura.vfs.schema import Scope, TokenType, VariableSpec, VarType
from creatura.vtc.syntax import RuleSpec, WriteSpec
from creatura.world.faults import TAKES_DELAY, TAKES_FACT, Fault, Mode
from creatura.world.population import ExtentsSpec, Index, MembershipSpec
from creatura.world.ready_made import UseSpec


def _name(text: str) -> str:
    if not _NAME.fullmatch(text) or len(text) > MAX_NAME_LENGTH:
        raise ValueError(
            "is made of small letters, digits and single hyphens or underscores, at most "
            f"{MAX_NAME_LENGTH}, found {shown(text)}"
        )
    return text


def _held(cost: float) -> float:
    if cost > LARGEST:
        raise ValueError(f"should be at most 3.4e38, found {shown(cost)}")
    return float(cost)


MAX_NAME_LENGTH = 64
MAX_ENTRIES = 10_000  # of one section; a fact is three variables to the engine
_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
Name = Annotated[StrictStr, AfterValidator(_name)]
Share = Annotated[Number, Field(ge=0.0, le=1.0), AfterValidator(float)]
Cost = Annotated[Number, Field(ge=0.0), AfterValidator(_held)]
Count = Annotated[StrictInt, Field(ge=1, lt=2**31)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FactSpec(_Entry):
    """A named boolean: stored, or read off other variables by a predicate.

    Attributes:
        initial: Whether a stored fact holds at the start.
        predicate: Rule-language text of a fact that is read off.
    """

    id: StrictStr
    initial: StrictBool = False
    predicate: StrictStr | None = None

    @model_validator(mode="before")
    @classmethod
    def _reads_short_forms(cls, item: Any) -> Any:
        """Reads a name, or one `name: predicate` or `name: true` pair."""
        if isinstance(item, str):
            return {"id": item}
        if not isinstance(item, dict) or not item.keys() & {"id", "initial", "predicate"}:
            pairs = list(item.items()) if isinstance(item, dict) else []
            if len(pairs) != 1 or not isinstance(pairs[0][1], bool | str):
                forms = "a name, `name: true` or `name: predicate`"
                raise ValueError(f"should be {forms}, found {shown(item)}")
            ((name, held),) = pairs
            return {"id": name, "initial" if isinstance(held, bool) else "predicate": held}
        return item


class FeatureSpec(_Entry):
    """Something an observer is told that is worked out from variables and held by nobody.

    Attributes:
        expression: Rule-language text over variables and other features.
        scope: The world's or each agent's; what the expression reads decides where left out.
        exposed_to: Roles that get it as tokens.
    """

    expression: StrictStr
    type: VarType = VarType.SCALAR
    scope: Scope | None = None
    range: Ends | None = None
    readable_by: tuple[StrictStr, ...] = ()
    exposed_to: tuple[StrictStr, ...] = ("agent",)
    normalization: Normalization | None = None
    metadata: dict[str, Any] | None = None


class ToolSpec(_Entry):
    """A tool: which facts it needs and leaves, and what else it writes.

    Attributes:
        release: It ships something, so the gatekeeper asks for a record.
        cost: 0 or more, in the world's own unit.
        writes: Further writes, in phase `apply_action_effects`, where the call delivers.
    """

    requires: tuple[StrictStr, ...] = ()
    grants: tuple[StrictStr, ...] = ()
    revokes: tuple[StrictStr, ...] = ()
    release: StrictBool = False
    cost: Cost = 0.0
    writes: tuple[WriteSpec, ...] = ()


class TaskSpec(_Entry):
    """When the work is done.

    Attributes:
        goal: Predicate over facts; without one, all obligations are the goal.
        obligations: Facts that must close, in order; where left out, the facts that the goal
            asks for, if it asks for all of them.
        title: What the task is called in prose; the world's title where left out.
    """

    goal: StrictStr | None = None
    obligations: tuple[StrictStr, ...] = ()
    title: StrictStr | None = None

    @model_validator(mode="after")
    def _asks_for_something(self) -> TaskSpec:
        if self.goal is None and not self.obligations:
            raise ValueError("needs a goal, or obligations, or both")
        return self


class FaultSpec(_Entry):
    """A fault that the world starts with: a tool, a mode, and at most one schedule.

    Attributes:
        once, always, times, ticks, probability: The schedule; always where none is given.
        delay, fact: What some modes need besides: see `Mode`.
    """

    tool: StrictStr
    mode: Mode
    once: StrictBool = False
    always: StrictBool = False
    times: Count | None = None
    ticks: Annotated[tuple[Count, ...], Field(min_length=1)] | None = None
    probability: Share | None = None
    agent: Index | None = None
    delay: Count = 2
    fact: StrictStr | None = None

    @model_validator(mode="after")
    def _has_one_schedule(self) -> FaultSpec:
        given = [name for name in ("once", "always") if getattr(self, name)]
        given += [
            name for name in ("times", "ticks", "probability") if getattr(self, name) is not None
        ]
        if len(given) > 1:
            raise ValueError(f"takes one schedule, found {' and '.join(given)}")
        if self.mode in TAKES_FACT and self.fact is None:
            raise ValueError(f"of mode '{self.mode}' needs the key 'fact'")
        for key, takers in (("fact", TAKES_FACT), ("delay", TAKES_DELAY)):
            if key in self.model_fields_set and self.mode not in takers:
                only = " and ".join(takers[-2:])
                raise ValueError(f"of mode '{self.mode}' takes no '{key}'; only {only} do")
        return self

    def fault(self) -> Fault:
        """Returns the record that the engine schedules."""
        times = 1 if self.once else self.times
        return Fault(
            self.tool, self.mode, times, self.ticks, self.probability, self.agent, self.delay,
            self.fact,
        )  # fmt: skip


def _facts(value: Any) -> Any:
    """Reads a mapping as a list of its pairs."""
    return [{key: held} for key, held in value.items()] if isinstance(value, dict) else value


def _variables(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        name: {"id": name, **body} if isinstance(body, dict) else body
        for name, body in value.items()
    }


_FEW = Field(max_length=MAX_ENTRIES)


class WorldSpec(_Entry):
    """A world file.

    Attributes:
        title: What the world is about, in prose; its name in words where left out.
        facts: Named booleans, in the order that masks use.
        extents: Who holds values besides the agents: groups, zones, items and so on.
        membership: Who belongs to which group and stands in which zone.
        roles: Roles of the world's own that its variables may name.
        use: Ready-made sets of variables.
        variables: Further state, by id.
        features: What observers are told and nobody holds, by id.
        tokens: Tokens to keep for a type; as many as are needed where left out.
        rules: What happens each tick besides the tools.
        faults: Faults that every run starts with.
        barriers: Further faults by name, off until a run switches them on.
    """

    name: Name
    title: StrictStr | None = None
    facts: Annotated[
        tuple[FactSpec, ...],
        BeforeValidator(_facts),
        Field(min_length=1, max_length=MAX_ENTRIES),
    ]
    extents: ExtentsSpec = ExtentsSpec()
    membership: MembershipSpec = MembershipSpec()
    roles: Annotated[tuple[StrictStr, ...], _FEW] = ()
    use: UseSpec = UseSpec()
    variables: Annotated[dict[StrictStr, VariableSpec], BeforeValidator(_variables), _FEW] = {}
    features: Annotated[dict[StrictStr, FeatureSpec], _FEW] = {}
    tokens: dict[TokenType, Annotated[StrictInt, Field(ge=0)]] = {}
    tools: Annotated[dict[Name, ToolSpec], Field(min_length=1, max_length=MAX_ENTRIES)]
    rules: Annotated[tuple[RuleSpec, ...], _FEW] = ()
    task: TaskSpec
    faults: tuple[FaultSpec, ...] = ()
    barriers: dict[Name, Annotated[tuple[FaultSpec, ...], Field(min_length=1)]] = {}
