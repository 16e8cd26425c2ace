"""Reach: which variables the rules of this engine compile over, and as what.

Everything else of the roster is stored, checked, hashed and shown; a rule that names it is refused
at compile time.
"""

from __future__ import annotations

from creatura.vfs.schema import Scope, VariableSpec, VarType

# As what a rule sees a value: a categorical is the number of its label.
RULED_TYPES = {
    VarType.BOOL: VarType.BOOL,
    VarType.INT: VarType.INT,
    VarType.SCALAR: VarType.SCALAR,
    VarType.CATEGORICAL: VarType.INT,
}
RULED_SCOPES = {
    Scope.GLOBAL: Scope.GLOBAL,
    Scope.AGENT: Scope.AGENT,
    Scope.AGENT_PRIVATE: Scope.AGENT,
}


def beyond_rules(spec: VariableSpec) -> str | None:
    """Says why no rule can name a variable, or None if one can."""
    if spec.scope not in RULED_SCOPES:
        return f"'{spec.id}' has scope {spec.scope}; rules reach {_listed(RULED_SCOPES)}"
    if spec.type not in RULED_TYPES:
        return f"'{spec.id}' has type {spec.type}; rules reach {_listed(RULED_TYPES)}"
    return None


def _listed(names: object) -> str:
    *rest, last = map(str, names)  # type: ignore[call-overload]
    return f"{', '.join(rest)} and {last}"
