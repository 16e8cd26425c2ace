"""Expand: a short world file as the full roster, rules and brief that the engine compiles.

Facts become boolean variables, or derived ones where a predicate is given. A tool becomes a rule in
`apply_action_effects` that runs where an agent calls it and the call delivers: what it grants is
raised with `max`, what it revokes is lowered with `min`, so that agents acting in one tick compose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from creatura.bits import indices_of, mask_of
from creatura.errors import MAX_PROBLEMS, AuthorError, Place, Problem, cut, did_you_mean
from creatura.protocols import Brief, Goal, Tool
from creatura.source import Document, Path_
from creatura.vfs import Holders, Scope, VariableSpec, VarType
from creatura.vfs.schema import RULES_ROLE
from creatura.vtc.syntax import (
    ExpressionError,
    RuleSpec,
    WriteSpec,
    render_fault,
)
from creatura.world.faults import Fault
from creatura.world.naming import CALLED, LANDS, PUSH, SPENT, mistaken_names
from creatura.world.population import member_variables
from creatura.world.ready_made import ready_made
from creatura.world.spec import FactSpec, FaultSpec, FeatureSpec, ToolSpec, WorldSpec
from creatura.world.task import GOAL_VARIABLE, goal_expression, goal_of
from creatura.world.whose import scope_of, settled

_ENGINE_ONLY = {"readable_by": ("engine", "vtc", "critic"), "writable_by": ("engine",)}
_PUSH_PHASE = "apply_action_effects"
# Who reads facts in every run, besides the rules.
_FACT_READERS = ("seat", "effect_check", "critic", "engine", "report")
FACT_READERS = (RULES_ROLE, *_FACT_READERS)


@dataclass(frozen=True, slots=True)
class Expanded:
    """A world in full, ready to compile.

    Attributes:
        variables, rules: Everything explicit.
        faults: What every run starts with. barriers: What a run may switch on.
    """

    brief: Brief
    variables: tuple[VariableSpec, ...]
    holders: Holders
    rules: tuple[RuleSpec, ...]
    faults: tuple[Fault, ...]
    barriers: Mapping[str, tuple[Fault, ...]]


def expand(spec: WorldSpec, document: Document) -> Expanded:
    """Expands a world file.

    Raises:
        AuthorError: Everything that its entries get wrong about one another.
    """
    expansion = _Expansion(spec, document)
    expanded = expansion.expanded()
    if expansion.problems:
        raise AuthorError(expansion.problems)
    return expanded


class _Expansion:
    def __init__(self, spec: WorldSpec, document: Document) -> None:
        self.spec, self.document = spec, document
        self.problems: list[Problem] = []
        self.index = {fact.id: i for i, fact in enumerate(spec.facts)}
        self.stored = [fact.id for fact in spec.facts if fact.predicate is None]
        self.holders = spec.extents.holders()

    def expanded(self) -> Expanded:
        spec = self.spec
        self._check_facts()
        for path, message in mistaken_names(spec):
            self._note(path, message)
        variables = [self._placed(v, ("variables", v.id)) for v in spec.variables.values()]
        variables += member_variables(self.holders, spec.membership, self.document, self.problems)
        variables += ready_made(spec.use, self.holders, self.document, self.problems)
        scopes = settled(spec, {variable.id: variable.scope for variable in variables})
        for i, fact in enumerate(spec.facts):
            if fact.id not in spec.variables:
                variables.append(self._fact_variable(fact, scopes[fact.id], ("facts", i)))
        for name, feature in spec.features.items():
            variables.append(self._feature(name, feature, scopes[name]))
        tools = [self._tool(i, name, tool) for i, (name, tool) in enumerate(spec.tools.items())]
        self._check_faults(spec.faults, ("faults",))
        for name, barrier in spec.barriers.items():
            self._check_faults(barrier, ("barriers", name))
        goal = self._goal()
        obligations = self._obligations(goal)
        variables += self._engine_variables(scopes)
        brief = Brief(
            world=spec.name,
            title=spec.task.title or spec.title or spec.name.replace("-", " ").replace("_", " "),
            facts=tuple(self.index),
            tools=tuple(tools),
            goal=replace(goal, obligations=mask_of(obligations)),
            obligations=obligations,
        )
        rules = [
            rule.model_copy(update={"place": self._at("rules", i)})
            for i, rule in enumerate(spec.rules)
        ]
        faults = tuple(fault.fault() for fault in spec.faults)
        rules = [*self._tool_rules(tools), *self._push_rules(), *rules]
        barriers = {
            name: tuple(fault.fault() for fault in barrier)
            for name, barrier in spec.barriers.items()
        }
        return Expanded(brief, tuple(variables), self.holders, tuple(rules), faults, barriers)

    # ------------------------------------------------------------------ facts

    def _check_facts(self) -> None:
        seen: dict[str, Path_] = {}
        for i, fact in enumerate(self.spec.facts):
            path: Path_ = ("facts", i)
            if fact.id in seen:
                first = self.document.place(seen[fact.id]).line
                self._note(
                    path, f"fact '{fact.id}' is declared twice; the first is on line {first}"
                )
            seen.setdefault(fact.id, path)
            variable = self.spec.variables.get(fact.id)
            if variable is None:
                continue
            if variable.type is not VarType.BOOL:
                self._note(
                    path,
                    f"fact '{fact.id}' is a variable of type {variable.type}; a fact is a bool, "
                    f'or a predicate such as {{{fact.id}_is_high: "{fact.id} >= 0.5"}}',
                )
            elif variable.scope not in (Scope.GLOBAL, Scope.AGENT):
                self._note(
                    path,
                    f"fact '{fact.id}' is a variable of scope {variable.scope}; a fact is the "
                    "world's or an agent's: give a predicate over it",
                )
            elif unread := _unread(variable):
                roles = ", ".join(unread)
                self._note(
                    path, f"fact '{fact.id}' must be readable by {roles}; add to 'readable_by'"
                )
            elif fact.predicate is not None or fact.initial:
                self._note(path, f"fact '{fact.id}' is a variable already; declare its value there")

    def _fact_variable(self, fact: FactSpec, scope: Scope, path: Path_) -> VariableSpec:
        place = self.document.place(path)
        if fact.predicate is None:
            return VariableSpec(
                id=fact.id, initial=fact.initial, readable_by=FACT_READERS, place=place
            )
        return VariableSpec(
            id=fact.id,
            scope=scope,
            expression=fact.predicate,
            readable_by=FACT_READERS,
            place=place,
        )

    def _feature(self, name: str, feature: FeatureSpec, scope: Scope) -> VariableSpec:
        readers = dict.fromkeys(("engine", RULES_ROLE, *feature.exposed_to, *feature.readable_by))
        fields = feature.model_dump(exclude={"scope", "readable_by"}, exclude_none=True)
        return VariableSpec(
            id=name,
            scope=scope,
            readable_by=tuple(readers),
            place=self._at("features", name),
            **fields,
        )

    # ------------------------------------------------------------------ tools

    def _tool(self, index: int, name: str, tool: ToolSpec) -> Tool:
        path: Path_ = ("tools", name)
        masks = {
            key: self._facts(getattr(tool, key), (*path, key), f"tool '{name}' {key}")
            for key in ("requires", "grants", "revokes")
        }
        both = [f for f in tool.grants if f in tool.revokes]
        if both:
            self._note(path, f"tool '{name}' both grants and revokes '{both[0]}'")
        predicates = {fact.id for fact in self.spec.facts if fact.predicate is not None}
        for fact in (*tool.grants, *tool.revokes):
            if fact in predicates and not tool.writes:
                self._note(
                    path,
                    f"tool '{name}' cannot set '{fact}', which is read off other variables; "
                    "give it 'writes' that make it so",
                )
        return Tool(name, index, **masks, release=tool.release, cost=tool.cost)

    def _facts(self, names: Sequence[str], path: Path_, subject: str) -> int:
        known: dict[str, int] = {}
        for i, name in enumerate(names):
            if name in known:
                self._note((*path, i), f"{subject} '{name}' twice; drop one")
            elif name in self.index:
                known[name] = self.index[name]
            else:
                hint = did_you_mean(name, self.index)
                self._note((*path, i), f"{subject} the unknown fact '{name}'{hint}")
        return mask_of(known.values())

    def _tool_rules(self, tools: Iterable[Tool]) -> Iterator[RuleSpec]:
        predicates = {fact.id for fact in self.spec.facts if fact.predicate is not None}
        for tool in tools:
            declared = self.spec.tools[tool.id]
            writes = [WriteSpec(target=f, expression=True, composition="max")
                      for f in declared.grants if f not in predicates]  # fmt: skip
            writes += [WriteSpec(target=f, expression=False, composition="min")
                       for f in declared.revokes if f not in predicates]  # fmt: skip
            writes += declared.writes
            place, called = self._at("tools", tool.id), f"{CALLED} == {tool.index}"
            if writes:
                yield RuleSpec(
                    id=f"tool {tool.id}",
                    phase="apply_action_effects",
                    condition=lands_of(tool.index),
                    writes=tuple(writes),
                    place=place,
                )
            if tool.cost:
                # A call is paid for whether or not it delivers.
                cost = WriteSpec(target=SPENT, expression=tool.cost, composition="additive_delta")
                yield RuleSpec(
                    id=f"cost of tool {tool.id}",
                    phase="apply_action_costs",
                    condition=called,
                    writes=(cost,),
                    place=place,
                )

    def _push_rules(self) -> Iterator[RuleSpec]:
        """Lets faults move a fact by itself: land late or in part, revert, damage."""
        for fact in self.stored:
            yield RuleSpec(
                id=f"push {fact}",
                phase=_PUSH_PHASE,
                writes=(
                    WriteSpec(
                        target=fact, expression=True, composition="max",
                        condition=f"{PUSH}{fact} > 0",
                    ),
                    WriteSpec(
                        target=fact, expression=False, composition="min",
                        condition=f"{PUSH}{fact} < 0",
                    ),
                ),
                place=self._at("facts", self.index[fact]),
            )  # fmt: skip

    # ------------------------------------------------------------------ task, faults, engine

    def _goal(self) -> Goal:
        task = self.spec.task
        closed = self._facts(task.obligations, ("task", "obligations"), "the task obliges")
        try:
            goal = goal_of(task.goal, self.index, closed)
            if not goal.clauses:
                message = f"the task's goal '{cut(goal.text)}' can never hold; no run would end"
                self._note(("task", "goal"), message)
            return goal
        except ExpressionError as error:
            message = render_fault(f"the task's goal: {error.message}", str(task.goal), error.at)
            self._note(("task", "goal"), message)
            return Goal("", (), 0)

    def _obligations(self, goal: Goal) -> tuple[int, ...]:
        declared = tuple(self.index[o] for o in self.spec.task.obligations if o in self.index)
        if declared or len(goal.clauses) != 1:
            return declared
        # A goal that is one list of facts says by itself what has to close; without this,
        # nothing between the first tick and the last would count as progress.
        return tuple(indices_of(goal.clauses[0][0]))

    def _check_faults(self, faults: Iterable[FaultSpec], path: Path_) -> None:
        for i, fault in enumerate(faults):
            if fault.tool not in self.spec.tools:
                hint = did_you_mean(fault.tool, self.spec.tools)
                self._note((*path, i, "tool"), f"fault of the unknown tool '{fault.tool}'{hint}")
            if fault.fact is not None and fault.fact not in self.stored:
                hint = did_you_mean(fault.fact, self.stored)
                message = f"fault with '{fault.fact}', which is no stored fact{hint}"
                self._note((*path, i, "fact"), message)

    def _engine_variables(self, scopes: dict[str, Scope]) -> list[VariableSpec]:
        task = self.spec.task
        text, place = goal_expression(task.goal, task.obligations), self._at("task")
        called = VariableSpec(
            id=CALLED, scope=Scope.AGENT, type=VarType.INT, initial=-1, place=place, **_ENGINE_ONLY
        )
        lands = [
            VariableSpec(
                id=lands_of(i), scope=Scope.AGENT, initial=False, place=place, **_ENGINE_ONLY
            )
            for i in range(len(self.spec.tools))
        ]
        pushes = [
            VariableSpec(
                id=PUSH + fact, scope=scopes[fact], type=VarType.INT, initial=0, place=place,
                **_ENGINE_ONLY,
            )
            for fact in self.stored
        ]  # fmt: skip
        goal = VariableSpec(
            id=GOAL_VARIABLE,
            scope=scope_of(text, scopes),
            expression=text,
            readable_by=FACT_READERS,
            place=self._at("task", "goal"),
        )
        spent = VariableSpec(
            id=SPENT,
            scope=Scope.AGENT,
            type=VarType.SCALAR,
            initial=0.0,
            readable_by=("agent", "engine", RULES_ROLE, "report"),
            place=place,
        )
        has_costs = any(tool.cost for tool in self.spec.tools.values())
        return [called, *lands, *pushes, *([spent] if has_costs else []), goal]

    def _placed(self, variable: VariableSpec, path: Path_) -> VariableSpec:
        update: dict[str, object] = {"place": self.document.place(path)}
        if variable.id in self.index and "readable_by" not in variable.model_fields_set:
            update["readable_by"] = FACT_READERS  # being a fact says who reads it
        return variable.model_copy(update=update)

    def _at(self, *path: str | int) -> Place:
        return self.document.place(path)

    def _note(self, path: Path_, message: str) -> None:
        self.problems.append(Problem(self.document.place(path), message))
        if len(self.problems) > MAX_PROBLEMS:  # each may have cost a search for the nearest name
            raise AuthorError(self.problems)


def _unread(variable: VariableSpec) -> list[str]:
    """Lists who cannot read a fact whose author said who may."""
    if "readable_by" not in variable.model_fields_set:
        return []
    return [role for role in _FACT_READERS if role not in variable.readable_by]


def lands_of(tool: int) -> str:
    """Names the variable that says whether a tool's effect lands for an agent this tick."""
    return f"{LANDS}t{tool}"
