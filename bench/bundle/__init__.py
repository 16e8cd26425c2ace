"""Bundle: a run that stopped between two ticks, as one file that needs nothing beside it.

The file holds the world's text, the case, the user's own files of its cast, what these were
compiled to, a hash of each thing that the rows follow from, and the state. `resume_run` goes on
from those alone; what has moved is refused by name, and a fork is a new run that remembers it.
"""

from bench.bundle.fork import Fork
from bench.bundle.hashes import Ancestor, in_words
from bench.bundle.play import Resumed, changes_since, freeze_again, freeze_run, resume_run

__all__ = [
    "Ancestor",
    "Fork",
    "Resumed",
    "changes_since",
    "freeze_again",
    "freeze_run",
    "in_words",
    "resume_run",
]
