"""Report: one run, told to a person, from its stored files alone.

`headline` decides what to look at first, `page` gathers what is shown, the templates say it. Made
twice from the same files, a report is the same to the byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2

from bench.report.page import Page, gather
from bench.store import load_run, write_whole

HTML, MARKDOWN = "report.html", "report.md"


def write_report(run_dir: Path | str) -> Path:
    """Writes `report.html`, `report.md` and the pictures of the latter into a run's folder.

    Returns:
        Where `report.html` lies.

    Raises:
        AuthorError: The folder holds no finished run.
    """
    run = load_run(run_dir)
    page = gather(run)
    for name, png in page.pictures.items():
        target = run.folder / name
        target.parent.mkdir(exist_ok=True)
        write_whole(target, png)
    for name in (HTML, MARKDOWN):
        write_whole(run.folder / name, render(page, name).encode())
    return run.folder / HTML


def render(page: Page, template: str) -> str:
    """Renders the page through one of the two templates."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bench.report"),
        autoescape=jinja2.select_autoescape(["html"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = _markdown_cell
    return environment.get_template(template).render(page=page)


def _markdown_cell(value: Any) -> str:
    """Writes a value so that it stays one cell of a Markdown table, and plain text in it."""
    text = str(value)
    for sign, escaped in (("&", "&amp;"), ("<", "&lt;"), ("|", "\\|"), ("*", "\\*"), ("`", "\\`")):
        text = text.replace(sign, escaped)
    return text.replace("\n", "<br>")
