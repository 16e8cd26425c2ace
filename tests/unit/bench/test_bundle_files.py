"""Files that are no bundle, or not as they were written: a sentence each, and nothing is done."""

import json
import zipfile
from pathlib import Path

import pytest

from bench.bundle import archive, resume_run
from bench.bundle.archive import read_archive, write_archive
from creatura.errors import AuthorError
from tests.unit.bench.bundles import frozen, parts, refusal, rewrite, rows

NO_RUN = "is no frozen run; `creatura run ... --freeze-at N` writes one"
DAMAGED = "is damaged: it does not hold what was written"


@pytest.mark.parametrize("content", [b"", b"hello\n", b'{"a": 1}\n', b"\x80\x81\n\x00"])
def test_a_file_that_is_no_frozen_run_is_refused(tmp_path: Path, content: bytes):
    file = tmp_path / "file"
    file.write_bytes(content)
    assert refusal(file) == f"{file}: {NO_RUN}"


def test_any_other_zip_file_is_refused(tmp_path: Path):
    file = tmp_path / "file.zip"
    with zipfile.ZipFile(file, "w") as other:
        other.writestr("readme.txt", "hello")
    assert refusal(file) == f"{file}: {NO_RUN}"
    with zipfile.ZipFile(file, "w") as other:
        other.writestr("bundle.json", "{}")
    assert refusal(file) == f"{file}: {NO_RUN}"


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path):
    missing = tmp_path / "missing"
    assert refusal(missing) == f"{missing}: cannot be read: no such file or directory"
    assert refusal(tmp_path) == f"{tmp_path}: cannot be read: is a directory"


def test_the_first_format_is_refused(tmp_path: Path):
    file = tmp_path / "run.frozen"
    file.write_bytes(b'{"creatura-bench frozen run": 1, "digest": "x"}\n{}\n\x80')
    assert refusal(file) == (
        f"{file}: was written in format 1, and this version reads format 2; freeze the run anew"
    )


def test_a_later_format_is_refused(tmp_path: Path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(archive, "FORMAT", 9)
        file = frozen(tmp_path)
    assert refusal(file) == (
        f"{file}: was written in format 9, and this version reads format 2; freeze the run anew"
    )


def test_a_file_that_was_cut_short_is_refused_wherever_the_cut_is(tmp_path: Path):
    file = frozen(tmp_path)
    whole = file.read_bytes()
    for size in (4, 100, len(whole) // 2, len(whole) - 30, len(whole) - 1):
        file.write_bytes(whole[:size])
        assert refusal(file) == f"{file}: {DAMAGED}", size


def test_a_changed_byte_is_refused_or_changes_nothing(tmp_path: Path):
    # A zip file holds times and the like, which mean nothing here.
    file = frozen(tmp_path)
    whole, expected = file.read_bytes(), rows(resume_run(file, "test").batch)
    refused = []
    for at in range(0, len(whole), 61):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            assert rows(resume_run(file, "test").batch) == expected, at
        except AuthorError as error:
            refused.append(error)
    assert len(refused) > 80
    assert all(str(error).startswith(f"{file}: ") for error in refused)
    assert all(len(error.problems) == 1 for error in refused)


def rezip(file: Path, change) -> None:
    """Packs a bundle anew with its members changed and its digest as it was."""
    with zipfile.ZipFile(file) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    change(members)
    with zipfile.ZipFile(file, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)


def test_a_member_that_is_not_as_it_was_written_is_refused(tmp_path: Path):
    for change in (
        lambda members: members.update({"config/world.yaml": b"name: other"}),
        lambda members: members.update({"config/parts/0/extra.py": b""}),
        lambda members: members.pop("state"),
        lambda members: members.update(
            {
                "bundle.json": members["bundle.json"]
                .replace(b"2,", b"2 ,")
                .replace(b'"tick": 2', b'"tick": 1')
            }
        ),
    ):
        file = frozen(tmp_path)
        rezip(file, change)
        assert refusal(file) == f"{file}: {DAMAGED}"


@pytest.mark.parametrize("name", ["config/world.yaml", "config/case.json", "hashes.json", "state"])
def test_a_member_that_is_missing_is_named(tmp_path: Path, name: str):
    file = frozen(tmp_path)
    cover, members = read_archive(file)
    del members[name]
    write_archive(file, cover, members)
    assert refusal(file) == f"{file}: lacks '{name}'; freeze the run anew"


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "/etc/evil", "config/parts/0/../../../evil.py", "a//b", "c:/evil", "a\\b"],
)
def test_a_member_that_leads_out_of_the_bundle_is_refused(tmp_path: Path, name: str):
    file = frozen(tmp_path)
    rezip(file, lambda members: members.update({name: b"print('evil')"}))
    assert refusal(file) == (
        f"{file}: its member '{name}' lies outside the bundle; nothing was unpacked"
    )
    assert not list(tmp_path.rglob("evil*"))


def test_a_cast_that_names_a_file_outside_the_bundle_is_refused(tmp_path: Path):
    outside = tmp_path / "outside.py"
    outside.write_text("raise SystemExit('this must never run')\n", encoding="utf-8")
    for design, seat, named in (
        (f"{outside}:Any", "bfs", str(outside)),
        ("config/parts/0/../../../outside.py", "bfs", "config/parts/0/../../../outside.py"),
        ("plain", f"scripted:{outside}", str(outside)),
        ("plain", f"{outside}:Any", str(outside)),
    ):
        file = frozen(tmp_path, parts(tmp_path / "mine"))
        kept = {"design": [design], "seat": seat}
        rewrite(file, case=lambda case, kept=kept: case["cast"][0].update(kept=kept))
        assert refusal(file) == f"{file}: its cast names '{named}', which it lacks"


def test_a_bundle_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch):
    file = frozen(tmp_path)
    rezip(file, lambda members: members.update(state=bytes(2_000_000)))
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000_000)
    told = refusal(file)
    assert told.startswith(f"{file}: its members take 2,0")
    assert told.endswith(" bytes, most of them 'state'; at most 1,000,000 are read")
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    assert refusal(file) == f"{file}: holds 9 members; at most 3 are read"


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path):
    file = frozen(tmp_path)
    with zipfile.ZipFile(file) as opened:
        size = opened.getinfo("config/world.yaml").file_size
    raw = file.read_bytes()
    at = raw.index(b"PK\x01\x02", raw.index(b"config/world.yaml", raw.index(b"PK\x01\x02")) - 60)
    assert raw[at + 24 : at + 28] == size.to_bytes(4, "little")
    file.write_bytes(raw[: at + 24] + (10).to_bytes(4, "little") + raw[at + 28 :])
    assert refusal(file) == f"{file}: {DAMAGED}"


def test_a_run_too_large_to_be_read_is_not_written(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 1_000)
    with pytest.raises(AuthorError, match="at most 1,000 are read"):
        frozen(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["pond.yaml"]


@pytest.mark.parametrize(
    "change",
    [
        lambda case: case.pop("faults"),
        lambda case: case.update(faults=[{"tool": "dig", "mode": "unheard of"}]),
        lambda case: case.update(cast=7),
        lambda case: case["cast"][0].pop("kept"),
    ],
)
def test_a_case_that_says_nothing_readable_is_refused(tmp_path: Path, change):
    file = frozen(tmp_path)
    rewrite(file, case=change)
    assert refusal(file) == f"{file}: is damaged: what it says of its case cannot be read"


def test_members_that_are_no_json_are_named(tmp_path: Path):
    for text in (b"{", b"[]", b"[" * 100_000, b"\xff\xfe"):
        file = frozen(tmp_path)
        cover, members = read_archive(file)
        write_archive(file, cover, {**members, "hashes.json": text})
        assert refusal(file) == f"{file}: is damaged: 'hashes.json' cannot be read"


@pytest.mark.parametrize(
    "state", [b"", b"hello", b"\x80\x05.", b"\x80\x05K\x01.", b"cos\nsystem\n."]
)
def test_a_state_that_is_none_is_refused(tmp_path: Path, state: bytes):
    file = frozen(tmp_path)
    rewrite(file, state=lambda was: state)
    assert refusal(file).startswith(f"{file}: its state cannot be read: ")


def test_the_cover_says_what_the_file_is(tmp_path: Path):
    with zipfile.ZipFile(frozen(tmp_path)) as opened:
        cover = json.loads(opened.read("bundle.json"))
    assert cover.pop("digest")
    assert cover == {"creatura-bench frozen run": 2, "tick": 2, "backend": "interpreter"}
