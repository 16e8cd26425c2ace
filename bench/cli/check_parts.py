"""Check parts: `creatura check-design`: holds designs, seats and extensions to their laws."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from bench.cli.screen import console
from bench.conformance import Finding, Subject, Weight, examine
from bench.trouble import PLACE
from creatura import resolver
from creatura.errors import AuthorError, did_you_mean
from creatura.parts import files as part_files
from creatura.parts.text import parse_part, split_player
from creatura.resolver import Kind

PASSED, FAILED = 0, 1
_SHOWN = {"fails": "FAILS"}


def check_parts(text: str, *, as_json: bool) -> int:
    """Examines a part, or all parts of a file, and prints what came of each law.

    Returns:
        0 if every law is kept, else 1.

    Raises:
        AuthorError: There is no such part or file, or it cannot be made.
    """
    subjects = subjects_of(text)
    for subject in subjects:
        subject.player()  # a mistake in the file should show before anything is played
    found = []
    for subject in subjects:
        findings = examine(subject)
        found.append((subject, findings))
        if not as_json:
            _print_part(subject, findings)
    if as_json:
        print(json.dumps([_as_plain(*each) for each in found], ensure_ascii=False))
    return PASSED if all(f.is_kept for _, findings in found for f in findings) else FAILED


def subjects_of(text: str) -> list[Subject]:
    """Finds out what is to be examined: a registered part, a file's class, or all its parts."""
    head, extras = split_player(text)
    if extras is not None:
        raise AuthorError.at(
            PLACE, f"one part is examined at a time; leave out what follows '{head}'"
        )
    written = parse_part(text)
    if written.path is None:
        return [Subject(_registered(text, written.name), text.strip())]
    file = part_files.load(written.path, PLACE)
    parts = file.parts()
    if written.chosen is not None:
        return [Subject(_kind_of(file, written.chosen, parts), text.strip())]
    if not parts:
        message = (
            f"'{written.path}' defines no design, seat or extension; a design inherits `Slots`"
        )
        raise AuthorError.at(PLACE, f"{message} of creatura.protocols")
    return [Subject(kind, f"{written.path}:{name}") for name, kind in parts.items()]


def _kind_of(file: part_files.PartFile, chosen: str, parts: dict[str, Kind]) -> Kind:
    found = getattr(file.module, chosen, None)
    if not isinstance(found, type):
        hint = did_you_mean(chosen, parts)
        raise AuthorError.at(PLACE, f"'{file.shown}' has no class '{chosen}'{hint}")
    kind = resolver.kind_of(found)
    if kind is None:
        part_files.check_kind(found, Kind.DESIGN, f"'{file.shown}:{chosen}'", PLACE)
    return kind or Kind.DESIGN


def _registered(text: str, name: str) -> Kind:
    if text.partition(":")[0] in resolver.SEATS_FROM_TEXT:
        return Kind.SEAT
    rows: dict[Kind, Sequence[resolver.Entry[Any]]] = {
        Kind.DESIGN: [*resolver.designs(), *resolver.presets()],
        Kind.SEAT: resolver.seats(),
        Kind.EXTENSION: resolver.extensions(),
    }
    names = {entry.name: kind for kind, entries in rows.items() for entry in entries}
    if name not in names:
        raise AuthorError.at(PLACE, f"unknown part '{name}'{did_you_mean(name, names)}")
    return names[name]


def _print_part(subject: Subject, findings: Sequence[Finding]) -> None:
    screen = console()
    screen.print(f"{subject.kind} {subject.text}", style="bold")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("law", "", "what it asks"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        style = "red" if not finding.is_kept else None
        table.add_row(
            finding.law, _SHOWN.get(finding.verdict, finding.verdict), finding.sentence, style=style
        )
    screen.print(table)
    for finding in findings:
        _print_breach(finding)
    failed = sum(not finding.is_kept for finding in findings)
    kept = f"{len(findings) - failed} of {len(findings)} laws kept"
    screen.print(f"\n{kept}\n", style="red" if failed else None)


def _print_breach(finding: Finding) -> None:
    breach, screen = finding.breach, console()
    if breach is None or breach.weight is Weight.UNSEEN:
        return  # what the part failed at first is told above
    screen.print(f"\n{finding.law}: {finding.sentence}", soft_wrap=True)
    lines = {"asked": breach.asked, "came": breach.came, "in": breach.where}
    for word, line in (lines | {"replay": breach.replay}).items():
        if line:
            screen.print(f"    {word}: {line}", soft_wrap=True)


def _as_plain(subject: Subject, findings: Sequence[Finding]) -> dict[str, Any]:
    return {
        "part": subject.text,
        "kind": subject.kind.value,
        "kept": all(finding.is_kept for finding in findings),
        "laws": [_law_as_plain(finding) for finding in findings],
    }


def _law_as_plain(finding: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "law": finding.law,
        "sentence": finding.sentence,
        "verdict": finding.verdict,
    }
    breach = finding.breach
    if breach is not None:
        plain |= {"asked": breach.asked, "came": breach.came}
        plain |= {"where": breach.where or None, "replay": breach.replay or None}
    return plain
