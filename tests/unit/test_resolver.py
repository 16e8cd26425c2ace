"""Resolver: names, options and files become parts, and mistakes become sentences."""

from pathlib import Path

import pytest

from creatura import resolver
from creatura.errors import AuthorError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hybrd", "unknown design 'hybrd'; did you mean 'hybrid'?"),
        ("zzz", "unknown design 'zzz'; known: plain, hybrid, careless"),
        ("hybrid(stge=2)", "design 'hybrid' has no option 'stge'; did you mean 'stage'?"),
        ("hybrid(2)", "design 'hybrid': options are written name=value, found '(2)'"),
        ("hybrid(stage=)", "design 'hybrid': options are written name=value, found '(stage=)'"),
        (
            "hybrid(stage=two)",
            "design 'hybrid': options are written name=value, found '(stage=two)'",
        ),
        ("hybrid(stage='2')", "design 'hybrid': option 'stage' is int, found '2'"),
        ("hybrid(stage=True)", "design 'hybrid': option 'stage' is int, found True"),
        ("hybrid(stage=9)", "design 'hybrid': stage is from 1 to 5, found 9"),
        ("", "unknown design ''; known: plain, hybrid, careless"),
    ],
)
def test_a_bad_design_gets_a_sentence(text, message):
    with pytest.raises(AuthorError) as error:
        resolver.design(text)
    assert str(error.value) == f"command line: {message}"


def test_options_are_part_of_the_name():
    design = resolver.design(" hybrid( stage = 2, count_waiting=False ) ")
    assert (design.name, design.stage) == ("hybrid(count_waiting=False, stage=2)", 2)


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


def test_a_world_is_named_by_its_stem_or_its_path():
    assert resolver.world_name(resolver.worlds()[0]) == resolver.worlds()[0].stem
    assert resolver.world_name(Path("elsewhere/ferry.yaml")) == str(Path("elsewhere/ferry.yaml"))


def test_every_listed_part_says_what_it_is():
    for entry in (*resolver.designs(), *resolver.seats()):
        assert entry.line.endswith("."), entry.name
