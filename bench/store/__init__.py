"""Store: runs as files, one folder a run, written once and read back by anything.

`columns` says what each column means, `writer` fills a folder, `reader` opens one. The tables are
plain parquet, the rest is JSON or the author's own text, so reading needs no code of this project.
"""

from bench.store.reader import StoredRun, load_run
from bench.store.writer import CONFIG, RunStore, write_whole

__all__ = ["CONFIG", "RunStore", "StoredRun", "load_run", "write_whole"]
