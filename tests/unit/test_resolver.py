"""Resolver: names, options and files become parts, and mistakes become sentences."""

from pathlib import Path

import pytest

from creatura import resolver
from creatura.errors import AuthorError
from creatura.protocols import JudgeRule
from creatura.regulators.colony import Colony
from creatura.regulators.map_keeper import MapKeeper
from creatura.regulators.self_model import SelfModel

KNOWN = "plain, self-model, colony, map-keeper, orienting, hybrid, careless, bach, levin, peterson"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hybrd", "unknown design 'hybrd'; did you mean 'hybrid'?"),
        ("zzz", f"unknown design 'zzz'; known: {KNOWN}"),
        ("levn", "unknown design 'levn'; did you mean 'levin'?"),
        ("levin(leek=0.1)", "design 'levin' has no option 'leek'; did you mean 'leak'?"),
        ("colony(leak=2)", "design 'colony': leak is from 0 to 1, found 2"),
        ("hybrid(stge=2)", "design 'hybrid' has no option 'stge'; did you mean 'stage'?"),
        ("hybrid(2)", "design 'hybrid': options are written name=value, found '(2)'"),
        (
            "hybrid()(stage=2)",
            "design 'hybrid': options are written name=value, found '()(stage=2)'",
        ),
        ("hybrid(stage=)", "design 'hybrid': options are written name=value, found '(stage=)'"),
        (
            "hybrid(stage=two)",
            "design 'hybrid': options are written name=value, found '(stage=two)'",
        ),
        ("hybrid(stage='2')", "design 'hybrid': option 'stage' is int, found '2'"),
        ("hybrid(stage=True)", "design 'hybrid': option 'stage' is int, found True"),
        ("hybrid(stage=9)", "design 'hybrid': stage is from 1 to 5, found 9"),
        ("", f"unknown design ''; known: {KNOWN}"),
    ],
)
def test_a_bad_design_gets_a_sentence(text, message):
    with pytest.raises(AuthorError) as error:
        resolver.design(text)
    assert str(error.value) == f"command line: {message}"


def test_options_are_part_of_the_name():
    design = resolver.design(" hybrid( stage = 2, count_waiting=False ) ")
    assert (design.name, design.stage) == ("hybrid(count_waiting=False, stage=2)", 2)


def test_a_preset_is_a_design_with_its_options_and_membrane_set():
    bach, levin, peterson = (resolver.design(name) for name in ("bach", "levin", "peterson"))
    assert isinstance(bach, SelfModel)
    assert (bach.name, bach.stage) == ("bach", 3)
    assert isinstance(levin, Colony)
    assert (levin.name, levin.leak) == ("levin", 0.5)
    assert levin.layer.clear_quarantine_on_no_route
    assert isinstance(peterson, MapKeeper)
    assert peterson.layer.judge_rule is JudgeRule.REPORT_FIRST


def test_a_preset_takes_options_and_keeps_its_membrane():
    levin = resolver.design("levin(leak=0.25)")
    assert (levin.name, levin.leak) == ("levin(leak=0.25)", 0.25)
    assert levin.layer.clear_quarantine_on_no_route


def test_a_preset_is_listed_apart_with_its_own_defaults():
    listed = {entry.name: dict(entry.options) for entry in resolver.presets()}
    assert list(listed) == ["bach", "levin", "peterson"]
    assert (listed["bach"]["stage"], listed["levin"]["leak"]) == (3, 0.5)
    assert not {entry.name for entry in resolver.designs()} & set(listed)


@pytest.mark.parametrize(
    "text", ["restore-service", "restore_service", "Restore Service", "worlds/restore_service.yaml"]
)
def test_a_packaged_world_goes_by_any_spelling_of_its_name(text):
    assert resolver.world_file(text).stem == "restore_service"


def test_a_world_beside_a_feature_comes_before_a_packaged_one(tmp_path):
    own = tmp_path / "restore_service.yaml"
    own.write_text("name: own")
    assert resolver.world_file("restore-service", beside=tmp_path) == own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("restore-servce", "unknown world 'restore-servce'; did you mean 'restore_service'?"),
        (
            "else/restore_service.yaml",
            "there is no world file 'else/restore_service.yaml'; did you mean 'restore_service'?",
        ),
    ],
)
def test_an_unknown_world_gets_the_nearest_name(text, message):
    with pytest.raises(AuthorError) as error:
        resolver.world_file(text, "features/x.feature:3")
    assert str(error.value) == f"features/x.feature:3: {message}"


@pytest.mark.parametrize(
    "text", ["/nowhere/worlds/restore_service.yaml", "../worlds/worlds/restore_service.yaml"]
)
def test_only_the_worlds_folder_itself_stands_for_the_packaged_worlds(text):
    with pytest.raises(AuthorError, match="there is no world file"):
        resolver.world_file(text)


@pytest.mark.parametrize("text", ["x" * 300, "x" * 300 + ".yaml", "a\0b", "worlds/" + "x" * 5_000])
def test_a_name_that_no_file_can_have_is_simply_unknown(text):
    with pytest.raises(AuthorError, match="unknown world"):
        resolver.world_file(text)


def test_a_packaged_world_has_one_name_however_it_is_reached(monkeypatch):
    packaged = resolver.worlds()[0]
    monkeypatch.chdir(packaged.parent)
    for path in (packaged, Path(packaged.name), Path("..") / packaged.parent.name / packaged.name):
        assert resolver.world_name(path) == packaged.stem


def test_a_part_has_a_name_of_readable_length():
    with pytest.raises(AuthorError) as error:
        resolver.design(f"hybrid(stage={'-' * 20_000}1)")
    message = "a design is written in at most 1,000 characters, found 20,015"
    assert str(error.value) == f"command line: {message}"


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_options_that_python_cannot_parse_get_a_sentence(monkeypatch, error):
    def too_deep(*_, **__):
        raise error

    with monkeypatch.context() as patch:  # pytest parses, too, once a test has failed
        patch.setattr("ast.parse", too_deep)
        with pytest.raises(AuthorError, match="options are written name=value"):
            resolver.design("hybrid(stage=2)")


def test_a_world_is_named_by_its_stem_or_its_path():
    assert resolver.world_name(resolver.worlds()[0]) == resolver.worlds()[0].stem
    assert resolver.world_name(Path("elsewhere/ferry.yaml")) == str(Path("elsewhere/ferry.yaml"))


def test_every_listed_part_says_what_it_is():
    for entry in (*resolver.designs(), *resolver.presets(), *resolver.seats()):
        assert entry.line.endswith("."), entry.name
