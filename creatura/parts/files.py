"""Files: designs, seats and extensions from a user's own Python file.

A file is loaded as a module under a name made from its resolved path, so that what a run keeps of
its classes can be read again wherever the same file was loaded first. It is loaded once, and again
when its text, or that of a neighbour it imports, has changed. Its folder is importable, as it is
for a script.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from creatura.errors import AuthorError, PartError, Place, did_you_mean
from creatura.hashing import digest
from creatura.parts.kinds import Kind, kind_of, lacks

MODULE_PREFIX = "creatura_part_"
Sources = dict[Path, bytes]


@dataclass(frozen=True, slots=True)
class PartFile:
    """A loaded file.

    Attributes:
        shown: The path as it was written.
        digest: Of its text and of the neighbours that it imports.
    """

    shown: str
    path: Path
    module: ModuleType
    digest: str

    def parts(self) -> dict[str, Kind]:
        """Lists the public parts that the file defines, with what they are."""
        own = {
            name: kind_of(value)
            for name, value in vars(self.module).items()
            if isinstance(value, type) and value.__module__ == self.module.__name__
        }
        return {name: kind for name, kind in own.items() if kind and not name.startswith("_")}

    def pick(self, kind: Kind, chosen: str | None, place: Place | str) -> type:
        """Finds a class of one kind by name; without a name, the only one that the file defines.

        Raises:
            AuthorError: There is none, it is of another kind, or the file leaves a choice.
        """
        fitting = [name for name, found in self.parts().items() if found is kind]
        if chosen is None:
            if len(fitting) == 1:
                return self._class(fitting[0])
            which = f"which of {', '.join(fitting)}" if fitting else f"it defines no {kind}"
            example = fitting[0] if fitting else "CLASS"
            fix = f"write {self.shown}:{example}" if fitting else _how(kind)
            raise AuthorError.at(place, f"'{self.shown}': {which}; {fix}")
        found = getattr(self.module, chosen, None)
        if not isinstance(found, type):
            hint = did_you_mean(chosen, fitting) if fitting else f"; it defines no {kind}"
            raise AuthorError.at(place, f"'{self.shown}' has no class '{chosen}'{hint}")
        check_kind(found, kind, f"'{self.shown}:{chosen}'", place)
        return found

    def _class(self, name: str) -> type:
        found: type = getattr(self.module, name)
        return found


def check_kind(found: type, kind: Kind, shown: str, place: Place | str) -> None:
    """Refuses a class that is not of the kind asked for.

    Raises:
        AuthorError: With what it lacks, or with what it is.
    """
    missing = lacks(found, kind)
    if not missing:
        return
    other = kind_of(found)
    if other:
        raise AuthorError.at(place, f"{shown} is {_a(other)}, and {_a(kind)} is wanted here")
    without = f"it lacks {', '.join(missing)}"
    raise AuthorError.at(place, f"{shown} is no {kind}: {without}; {_how(kind)}")


_LOADED: dict[str, PartFile] = {}  # by the name of the module
_NEIGHBOURS: dict[str, tuple[Path, bytes]] = {}  # what was imported from a user's folder, by name


def load(text: str, place: Place | str = "command line") -> PartFile:
    """Loads a Python file, unless it is loaded as it stands.

    Raises:
        AuthorError: There is no such file, it is no Python, or it stops while loading.
    """
    if not os.path.isfile(text):  # unlike the method of a path, it takes names that are too long
        raise AuthorError.at(place, f"there is no file '{text}'{_nearest_file(text)}")
    path = Path(text).resolve()
    try:
        sources = sources_of(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise AuthorError.at(place, f"'{text}' cannot be read: {reason}") from None
    key = digest([[p.relative_to(path.parent).as_posix(), sources[p]] for p in sorted(sources)])
    name = _module_name(path)
    loaded = _LOADED.get(name)
    if loaded is None or loaded.digest != key:
        loaded = PartFile(text, path, _module(name, text, path, sources), key)
        _LOADED[name] = loaded
    return PartFile(text, path, loaded.module, key)


def digest_of(part: type) -> str | None:
    """Returns the digest of the file that a class was loaded from, or None for any other class."""
    loaded = _LOADED.get(part.__module__)
    return loaded.digest if loaded else None


def in_words(error: BaseException) -> str:
    """Writes an exception on one line: what it is, and its own words."""
    words = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def line_of(error: BaseException, shown: str) -> str:
    """Names the last line of a user's file that an exception passed, in brackets; or nothing."""
    line = _line(error, Path(shown).resolve())
    return f" ({shown}:{line})" if line else ""


@contextlib.contextmanager
def in_sentences(place: Place | str) -> Iterator[None]:
    """Turns what a part breaks in mid-run into an author's error with a place.

    An exception that passed no user's file is the engine's own and goes on as it is.
    """
    try:
        yield
    except PartError as error:
        raise AuthorError.at(place, str(error)) from None
    except Exception as error:
        passed = [(file, _line(error, file.path)) for file in _LOADED.values()]
        where = next((Place(file.shown, line) for file, line in passed if line), None)
        if where is None or isinstance(error, AuthorError):
            raise
        raise AuthorError.at(where, f"stops the run: {in_words(error)}") from None


def _line(error: BaseException, path: Path) -> int | None:
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _module(name: str, shown: str, path: Path, sources: Sources) -> ModuleType:
    try:
        code = compile(sources[path], str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise AuthorError.at(Place(shown, error.lineno), f"is no Python: {error.msg}") from None
    except ValueError as error:
        raise AuthorError.at(shown, f"is no Python: {error}") from None
    except (MemoryError, RecursionError):
        raise AuthorError.at(shown, "is no Python: nested too deeply") from None
    module = ModuleType(name)
    module.__file__ = str(path)
    before = sys.modules.get(name)
    sys.modules[name] = module  # where dataclasses and pickle look for it
    try:
        with _importable(path.parent, sources):
            exec(code, vars(module))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        raise _stopped(error, path, shown) from None
    return module


def _stopped(error: BaseException, path: Path, shown: str) -> AuthorError:
    if isinstance(error, SyntaxError):
        file = error.filename or shown
        return AuthorError.at(Place(file, error.lineno), f"is no Python: {error.msg}")
    place = Place(shown, _line(error, path))
    return AuthorError.at(place, f"stops while loading: {in_words(error)}")


@contextlib.contextmanager
def _importable(folder: Path, sources: Sources) -> Iterator[None]:
    """Lets a file import its neighbours as they stand now; later imports find them last."""
    names = {_dotted(path, folder): path for path in sources}
    for name, path in names.items():
        known = _NEIGHBOURS.get(name)
        if known is not None and known != (path, sources[path]):
            sys.modules.pop(name, None)
    importlib.invalidate_caches()
    wrote, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the folder is the user's
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = wrote
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        for name, path in names.items():
            if getattr(sys.modules.get(name), "__file__", None) == str(path):
                _NEIGHBOURS[name] = (path, sources[path])


def sources_of(path: Path) -> Sources:
    """Reads a file and the neighbours that it imports, and theirs, without running any.

    All of them lie in the file's folder or below it.
    """
    found: Sources = {}
    waiting = [path]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found[at] = at.read_bytes()
            waiting += _neighbours(found[at], path.parent)
    return found


def _neighbours(text: bytes, folder: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return  # loading it will say so
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for top in {name.partition(".")[0] for name in names}:
            if (folder / f"{top}.py").is_file():
                yield folder / f"{top}.py"
            elif (folder / top / "__init__.py").is_file():
                yield from sorted((folder / top).rglob("*.py"))


def _dotted(path: Path, folder: Path) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _module_name(path: Path) -> str:
    return f"{MODULE_PREFIX}{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{digest(str(path))[:8]}"


def _nearest_file(text: str) -> str:
    folder = os.path.dirname(text) or "."
    if not os.path.isdir(folder):
        return ""
    there = sorted(found.name for found in Path(folder).glob("*.py"))
    return did_you_mean(os.path.basename(text), there)


def _a(kind: Kind) -> str:
    return f"an {kind}" if kind is Kind.EXTENSION else f"a {kind}"


def _how(kind: Kind) -> str:
    return {
        Kind.DESIGN: "a design inherits `Slots` of creatura.protocols, or has every slot",
        Kind.EXTENSION: "an extension inherits `Verbs` of creatura.protocols, or has every verb",
        Kind.SEAT: "a seat has a `name` and a method `decide`",
    }[kind]
