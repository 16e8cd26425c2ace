"""Cli: the `creatura` command.

Commands import what they need when they run, so that `--help` answers at once. A mistake of the
caller's is printed as one sentence or two on standard error and ends with status 2; no traceback
reaches a user.
"""

from __future__ import annotations

import sys

from bench.cli.app import app

__all__ = ["app", "main"]

INTERRUPTED = 130  # what shells expect after Ctrl-C


def main() -> None:
    """Runs the command line."""
    from creatura.errors import AuthorError, RunError

    try:
        app()
    except AuthorError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except RunError as error:
        print(f"the run stopped: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader has gone; closing standard error keeps Python from complaining at exit.
        sys.stderr.close()
        sys.exit(1)
