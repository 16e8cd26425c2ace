"""Archive: a run bundle as one zip file, written and read whole or not at all.

Its cover says what it is and holds a digest over all the rest. Names are sorted and times fixed, so
equal bundles are equal files. What is read is bounded and nothing is unpacked to a disk here.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from creatura.errors import AuthorError, Place
from creatura.hashing import digest

FORMAT = 2
MAX_MEMBERS = 2_000
MAX_BYTES = 256_000_000  # of all members unpacked; the state of a long run takes a few of them

_MARK = "creatura-bench frozen run"
_COVER = "bundle.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can hold
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)

Members = Mapping[str, bytes]


def write_archive(file: Path, cover: Mapping[str, Any], members: Members) -> None:
    """Writes a bundle.

    Args:
        cover: What should be known before anything else is read, as plain data.
    """
    _check_bounds(file, {name: len(content) for name, content in members.items()})
    marked = {_MARK: FORMAT, **cover, "digest": digest_of(cover, members)}
    written = file.with_name(f"{file.name}.partial")
    try:
        with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for name, content in sorted({**members, _COVER: as_json(marked)}.items()):
                info = zipfile.ZipInfo(name, _EPOCH)
                info.create_system, info.external_attr = 3, 0o644 << 16
                archive.writestr(info, content, zipfile.ZIP_DEFLATED)
        written.replace(file)
    finally:
        written.unlink(missing_ok=True)


def read_archive(file: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Reads the cover and the members of a bundle.

    Raises:
        AuthorError: It is no bundle, is of another format, or does not hold what was written.
    """
    with _in_sentences(file):
        if not zipfile.is_zipfile(file):
            raise AuthorError.at(Place(str(file)), _no_archive(file))
        with zipfile.ZipFile(file) as archive:
            sizes = _sizes(file, archive)
            if _COVER not in sizes:
                raise AuthorError.at(Place(str(file)), _NO_RUN)
            _check_bounds(file, sizes)
            cover = parse_json(file, _COVER, _content(archive, _COVER, sizes))
            _check_format(file, cover.pop(_MARK, None))
            members = {name: _content(archive, name, sizes) for name in sizes if name != _COVER}
    if cover.pop("digest", None) != digest_of(cover, members):
        raise damaged(file)
    return cover, members


def digest_of(cover: Mapping[str, Any], members: Members) -> str:
    """Digests a bundle: its cover and all its members."""
    return digest([FORMAT, cover, members])


def as_json(content: Any) -> bytes:
    """Writes plain data as JSON that people can read."""
    return (json.dumps(content, indent=2) + "\n").encode()


def parse_json(file: Path, name: str, content: bytes) -> dict[str, Any]:
    """Reads a JSON object.

    Raises:
        AuthorError: It is none.
    """
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise damaged(file, f"'{name}' cannot be read")
    return found


def damaged(file: Path, why: str = "it does not hold what was written") -> AuthorError:
    """Builds the error of a file that is not as it was written."""
    return AuthorError.at(Place(str(file)), f"is damaged: {why}")


_NO_RUN = "is no frozen run; `creatura run ... --freeze-at N` writes one"


def _check_format(file: Path, found: object) -> None:
    if found is None:
        raise AuthorError.at(Place(str(file)), _NO_RUN)
    if found != FORMAT:
        raise AuthorError.at(Place(str(file)), _other_format(found))


def _other_format(found: object) -> str:
    return (
        f"was written in format {found}, and this version reads format {FORMAT}; "
        "freeze the run anew"
    )


def _no_archive(file: Path) -> str:
    """Says what a file is that is no zip file; format 1 was a line of JSON and a state."""
    with file.open("rb") as opened:
        start = opened.read(200)
    if start.startswith(b"PK"):
        return "is damaged: it does not hold what was written"
    is_first = start.startswith(b'{"' + _MARK.encode() + b'": 1,')
    return _other_format(1) if is_first else _NO_RUN


def _sizes(file: Path, archive: zipfile.ZipFile) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for info in archive.infolist():
        name = info.filename
        if _leads_out(name):
            message = f"its member '{name}' lies outside the bundle; nothing was unpacked"
            raise AuthorError.at(Place(str(file)), message)
        if name in sizes:
            raise damaged(file, f"it holds '{name}' twice")
        sizes[name] = info.file_size
    return sizes


def _content(archive: zipfile.ZipFile, name: str, sizes: Mapping[str, int]) -> bytes:
    # Read without a limit, a member that says it is small may unpack to gigabytes before it is cut.
    with archive.open(name) as member:
        return member.read(sizes[name] + 1)


def _leads_out(name: str) -> bool:
    steps = name.split("/")
    return any(step in ("", ".", "..") for step in steps) or "\\" in name or ":" in steps[0]


def _check_bounds(file: Path, sizes: Mapping[str, int]) -> None:
    if len(sizes) > MAX_MEMBERS:
        message = f"holds {len(sizes):,} members; at most {MAX_MEMBERS:,} are read"
        raise AuthorError.at(Place(str(file)), message)
    if sum(sizes.values()) > MAX_BYTES:
        largest = max(sizes, key=lambda name: sizes[name])
        message = (
            f"its members take {sum(sizes.values()):,} bytes, most of them '{largest}'; "
            f"at most {MAX_BYTES:,} are read"
        )
        raise AuthorError.at(Place(str(file)), message)


@contextmanager
def _in_sentences(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise AuthorError.at(Place(str(file)), f"cannot be read: {reason}") from None
    except _BROKEN:
        raise damaged(file) from None
