"""Cli: the `creatura` command.

Commands import what they need when they run, so that `--help` answers at once. A mistake of the
caller's is printed as one sentence or two on standard error and ends with status 2; what the
machine or the engine refuses, likewise with status 1. No traceback reaches a user.
"""

from __future__ import annotations

import contextlib
import os
import sys

from bench.cli.app import app
from creatura.errors import AccessError, AuthorError, RunError

__all__ = ["app", "main"]

FAILED, MISTAKE = 1, 2
INTERRUPTED = 130  # what shells expect after Ctrl-C


def main() -> None:
    """Runs the command line."""
    try:
        _run()
    except KeyboardInterrupt:
        _stop(INTERRUPTED, "interrupted")
    except AuthorError as error:
        _stop(MISTAKE, str(error))
    except (RunError, AccessError) as error:
        _stop(FAILED, f"the run stopped: {error}")
    except BrokenPipeError:
        _drop_output()
        sys.exit(FAILED)
    except UnicodeEncodeError as error:
        _drop_output()
        _stop(FAILED, _unwritable(error))
    except OSError as error:
        _drop_output()
        where = f"'{error.filename}'" if error.filename else "the output"
        _stop(FAILED, f"{where} cannot be used: {(error.strerror or str(error)).lower()}")


def _run() -> None:
    try:
        app()
    except SystemExit as stop:
        if stop.code == INTERRUPTED:  # typer has made a quiet exit of it
            raise KeyboardInterrupt from None
        raise
    finally:
        sys.stdout.flush()  # a full disk shows only here


def _unwritable(error: UnicodeEncodeError) -> str:
    sign = error.object[error.start : error.end]
    is_narrow = not error.encoding.lower().startswith("utf")
    fix = "; set PYTHONIOENCODING=utf-8" if is_narrow else ""
    return f"'{sign}' cannot be written as {error.encoding}{fix}"


def _drop_output() -> None:
    # Python writes what is left at its exit, and would complain once more.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stop(status: int, sentence: str) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(status)
