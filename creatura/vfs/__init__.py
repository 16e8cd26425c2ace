"""VFS: the typed state of a world, and the one door to every value of it."""

from creatura.vfs.access import UnknownVariableError
from creatura.vfs.holders import Axis, Extents, Holders
from creatura.vfs.registry import Attempt, Registry
from creatura.vfs.roster import Roster, build_roster
from creatura.vfs.schema import Lifetime, Scope, VariableSpec, VarType
from creatura.vfs.storage import allocate, views

__all__ = [
    "Attempt",
    "Axis",
    "Extents",
    "Holders",
    "Lifetime",
    "Registry",
    "Roster",
    "Scope",
    "UnknownVariableError",
    "VarType",
    "VariableSpec",
    "allocate",
    "build_roster",
    "views",
]
