"""Part files: a user's own file becomes parts, and its mistakes become sentences with a place."""

import pickle
import sys

import pytest

from creatura import resolver
from creatura.errors import AuthorError
from creatura.parts import files as part_files
from creatura.parts.kinds import Kind

CAUTIOUS = """
from dataclasses import dataclass
from creatura.protocols import Slots

@dataclass(frozen=True)
class Memory:
    ticks: int

class Cautious(Slots):
    name = "cautious"
    def __init__(self, limit=0.5):
        self.limit = limit
    def begin(self, brief):
        return Memory(0)
"""
LUCKY = """
from creatura.protocols import Answer, Verbs

class Lucky:
    name = "lucky"
    def decide(self, batch):
        return [Answer(None)] * len(batch)

class Loud(Verbs):
    name = "loud"
    def note(self, context):
        return "listen"
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the folder where the command runs and returns its name."""
    monkeypatch.chdir(tmp_path)

    def written(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return name

    return written


def refusal(make, *words) -> str:
    with pytest.raises(AuthorError) as error:
        make(*words)
    return str(error.value)


def test_a_plain_class_is_a_design_and_takes_its_keywords_as_options(write):
    file = write("mine.py", CAUTIOUS)
    design = resolver.design(f"{file}:Cautious(limit=0.25)")
    assert (design.name, design.limit) == ("cautious", 0.25)
    assert resolver.design(file).limit == 0.5


def test_a_plain_class_takes_the_options_of_its_membrane(write):
    design = resolver.design(write("mine.py", CAUTIOUS) + ":Cautious(cooldown_ticks=7)")
    assert design.layer.cooldown_ticks == 7
    assert resolver.design("mine.py").layer.cooldown_ticks == 3


def test_seats_and_extensions_come_from_files_as_designs_do(write):
    file = write("luck.py", LUCKY)
    assert resolver.seat(f"{file}:Lucky").name == "lucky"
    outfit = resolver.outfit(f"plain with {file}:Loud, veto")
    assert [extension.name for extension in outfit.extensions] == ["loud", "veto"]


def test_a_file_lists_its_own_public_parts_with_their_kinds(write):
    text = LUCKY + "\nfrom creatura.regulators.plain import Plain\nclass _Hidden(Verbs): pass\n"
    parts = part_files.load(write("luck.py", text)).parts()
    assert parts == {"Lucky": Kind.SEAT, "Loud": Kind.EXTENSION}


def test_a_file_in_a_folder_whose_name_holds_the_word_with_is_found(tmp_path):
    folder = tmp_path / "tools with lies (old)"
    folder.mkdir()
    (folder / "mine.py").write_text(CAUTIOUS)
    outfit = resolver.outfit(f"{folder}/mine.py:Cautious(limit=0.1) with veto")
    assert (outfit.design.limit, len(outfit.extensions)) == (0.1, 1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mnie.py:Cautious", "command line: there is no file 'mnie.py'; did you mean 'mine.py'?"),
        ("mine.py:Cautios", "'mine.py' has no class 'Cautios'; did you mean 'Cautious'?"),
        ("mine.py:Memory", "'mine.py:Memory' is no design: it lacks begin, wake, ceiling, error,"),
        ("luck.py:Lucky", "'luck.py:Lucky' is a seat, and a design is wanted here"),
        ("luck.py", "'luck.py': it defines no design; a design inherits `Slots`"),
        ("two.py", "'two.py': which of A, B; write two.py:A"),
        ("mine.py:Cautious(limt=1)", "has no option 'limt'; did you mean 'limit'?"),
        ("mine.py:Cautious(limit='x')", "option 'limit' is a number, found 'x'"),
        ("nameless.py", "design 'nameless.py' has no name; write name ="),
        ("picky.py", "design 'picky.py': cannot be made: ZeroDivisionError: division by zero"),
        ("picky.py", "(picky.py:6)"),
        ("needy.py", "missing 1 required positional argument: 'depth'"),
        ("syntax.py", "syntax.py:2: is no Python: "),
        ("import.py", "import.py:3: stops while loading: ModuleNotFoundError: No module named"),
        ("exits.py", "exits.py:2: stops while loading: SystemExit: 3"),
        ("nul.py", "nul.py: is no Python: "),
    ],
)
def test_a_mistake_in_a_file_gets_a_sentence(write, text, sentence):
    head = "from creatura.protocols import Slots\n"
    write("mine.py", CAUTIOUS)
    write("luck.py", LUCKY)
    write("two.py", head + "class A(Slots):\n    name = 'a'\nclass B(Slots):\n    name = 'b'\n")
    write("nameless.py", head + "class A(Slots):\n    pass\n")
    start = head + "class A(Slots):\n    name = 'a'\n    def __init__(self"
    write("picky.py", f"{start}):\n\n        1 / 0\n")
    write("needy.py", f"{start}, depth):\n        pass\n")
    write("syntax.py", "x = 1\ndef f(:\n")
    write("import.py", "import os\n\nimport no_such_thing_anywhere\n")
    write("exits.py", "import sys\nsys.exit(3)\n")
    write("nul.py", "x = '\0'\n")
    assert sentence in refusal(resolver.design, text)


def test_what_a_file_defines_can_be_pickled_and_read_again(write):
    design = resolver.design(write("mine.py", CAUTIOUS))
    kept = pickle.dumps(design.begin(None))
    assert pickle.loads(kept) == design.begin(None)


def test_a_file_is_loaded_once_and_again_when_its_text_changes(write):
    text = CAUTIOUS.replace("limit=0.5", "limit=0.1")
    once = type(resolver.design(write("mine.py", CAUTIOUS)))
    assert type(resolver.design("mine.py")) is once
    write("mine.py", text)  # as long as before, and within the same second
    assert resolver.design("mine.py").limit == 0.1


def test_a_file_imports_its_neighbours_and_sees_them_change(write):
    write("measure_of_mine.py", "LIMIT = 0.3\n")
    text = CAUTIOUS.replace("0.5", "LIMIT")
    write("mine.py", "from measure_of_mine import LIMIT\n" + text)
    design = resolver.design("mine.py")
    before = resolver.identity(design)
    assert design.limit == 0.3
    write("measure_of_mine.py", "LIMIT = 0.4\n")
    after = resolver.design("mine.py")
    assert after.limit == 0.4
    assert resolver.identity(after) != before


def test_two_folders_may_have_a_neighbour_of_the_same_name(tmp_path):
    for folder, limit in (("a", 0.1), ("b", 0.2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same_name_in_two.py").write_text(f"LIMIT = {limit}\n")
        text = "from same_name_in_two import LIMIT\n" + CAUTIOUS.replace("0.5", "LIMIT")
        (tmp_path / folder / "mine.py").write_text(text)
    found = [resolver.design(str(tmp_path / folder / "mine.py")).limit for folder in "aba"]
    assert found == [0.1, 0.2, 0.1]


def test_loading_leaves_nothing_in_the_users_folder(write, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    write("neighbour_left_alone.py", "LIMIT = 0.5\n")
    resolver.design(write("mine.py", "import neighbour_left_alone\n" + CAUTIOUS))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "mine.py",
        "neighbour_left_alone.py",
    ]
    assert not sys.dont_write_bytecode


def test_the_identity_of_a_part_moves_with_its_options_and_its_file_alone(write):
    file = write("mine.py", CAUTIOUS)
    first = resolver.identity(resolver.design(file))
    assert first == resolver.identity(resolver.design(file))
    assert " at 0x" not in first
    assert first != resolver.identity(resolver.design(f"{file}:Cautious(limit=0.4)"))
    assert first != resolver.identity(resolver.design(f"{file}:Cautious(cooldown_ticks=4)"))
    write("mine.py", CAUTIOUS + "\n# a comment\n")
    assert first != resolver.identity(resolver.design(file))
