"""Resolver: names, options and files become parts, and mistakes become sentences."""

from pathlib import Path

import pytest

from creatura import resolver
from creatura.errors import AuthorError
from creatura.parts import build as part_build
from creatura.protocols import JudgeRule
from creatura.regulators.colony import Colony
from creatura.regulators.map_keeper import MapKeeper
from creatura.regulators.self_model import SelfModel
from creatura.seats.bfs import Bfs

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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colony with", "nothing follows 'colony with'; name an extension"),
        ("colony with veto,", "an extension's name is empty in 'colony with veto,'"),
        (
            "colony with vetto",
            "unknown extension 'vetto'; did you mean 'veto'?",
        ),
        (
            "colony with veto, veto(times=2)",
            "extension 'veto' is named twice in 'colony with veto, veto(times=2)'",
        ),
        (
            "colony with veto(tims=2)",
            "extension 'veto' has no option 'tims'; did you mean 'times'?",
        ),
        ("colony with veto(times=0)", "extension 'veto': times is 1 or more, found 0"),
        ("colny with veto", "unknown design 'colny'; did you mean 'colony'?"),
    ],
)
def test_a_bad_outfit_gets_a_sentence(text, message):
    with pytest.raises(AuthorError) as error:
        resolver.outfit(text)
    assert str(error.value) == f"command line: {message}"


def test_an_outfit_is_a_design_and_its_extensions_in_their_order():
    text = "colony(leak=0.25) with note(text='wait, and (see'), exploration(scaled=True) and memory"
    outfit = resolver.outfit(text)
    assert outfit.design == resolver.design("colony(leak=0.25)")
    names = [extension.name for extension in outfit.extensions]
    assert names == ["note(text='wait, and (see')", "exploration(scaled=True)", "memory"]
    assert resolver.outfit("colony") == resolver.Outfit(resolver.design("colony"))


def test_a_design_alone_takes_no_extensions():
    with pytest.raises(AuthorError, match="leave out what follows 'colony'"):
        resolver.design("colony with veto")


def test_any_design_takes_the_options_of_its_membrane():
    design = resolver.design("hybrid(judge_rule='report-first', cooldown_ticks=5, stage=2)")
    assert design.name == "hybrid(cooldown_ticks=5, judge_rule='report-first', stage=2)"
    assert (design.layer.judge_rule, design.layer.cooldown_ticks) == (JudgeRule.REPORT_FIRST, 5)
    assert design.stage == 2
    assert resolver.design("levin(cooldown_ticks=5)").layer.clear_quarantine_on_no_route


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "judge_rule='report-frst'",
            ": option 'judge_rule' is one of two words, found 'report-frst'; "
            "did you mean 'report-first'?",
        ),
        ("judge_rule=1", ": option 'judge_rule' is a word, found 1"),
        ("cooldown_ticks=-1", ": option 'cooldown_ticks' is 0 or more, found -1"),
        ("cooldown_ticks=1.5", ": option 'cooldown_ticks' is int, found 1.5"),
        ("release_min_share=1.5", ": option 'release_min_share' is from 0 to 1, found 1.5"),
        ("cooldwn_ticks=1", " has no option 'cooldwn_ticks'; did you mean 'cooldown_ticks'?"),
        ("retry_budget=2", ": option 'retry_budget' is bool, found 2"),
    ],
)
def test_a_bad_option_of_the_membrane_gets_a_sentence(options, message):
    with pytest.raises(AuthorError) as error:
        resolver.design(f"colony({options})")
    assert str(error.value) == f"command line: design 'colony'{message}"


def test_the_membrane_cannot_be_switched_off_and_has_no_switches_where_it_is():
    with pytest.raises(AuthorError, match="has no option 'membrane'"):
        resolver.design("colony(membrane=False)")
    with pytest.raises(AuthorError, match="membrane off, so 'cooldown_ticks' changes nothing"):
        resolver.design("careless(cooldown_ticks=5)")


class _Point:
    """An entry point of another package."""

    def __init__(self, name: str, value: object) -> None:
        self.name, self.value, self._found = name, "package:Part", value

    def load(self) -> object:
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


@pytest.fixture
def installed(monkeypatch):
    """Puts entry points in place of those that are installed."""

    def put(**points: object) -> None:
        found = [_Point(name, value) for name, value in points.items()]
        monkeypatch.setattr(part_build, "entry_points", lambda group: found)
        part_build._points.cache_clear()
        part_build._installed.cache_clear()

    yield put
    monkeypatch.undo()
    part_build._points.cache_clear()
    part_build._installed.cache_clear()


def test_a_design_of_another_package_goes_by_its_name(installed):
    installed(other=Colony)
    assert resolver.design("other(leak=0.1)").leak == 0.1
    assert "other" in [entry.name for entry in resolver.designs()]


def test_a_broken_entry_point_breaks_nothing_but_itself(installed):
    installed(torn=ImportError("No module named 'torn'"), other=Colony)
    assert resolver.design("other") == resolver.design("colony")
    assert "torn" not in [entry.name for entry in resolver.designs()]
    sentence = "design 'torn' cannot be loaded from 'package:Part': ImportError: No module named"
    assert resolver.broken(resolver.Kind.DESIGN)[0].startswith(sentence)
    with pytest.raises(AuthorError, match="command line: design 'torn' cannot be loaded"):
        resolver.design("torn")


def test_an_entry_point_of_the_wrong_kind_is_refused(installed):
    installed(odd=Bfs)
    with pytest.raises(AuthorError, match="is a seat, and a design is wanted here"):
        resolver.design("odd")


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
    for entry in (
        *resolver.designs(),
        *resolver.presets(),
        *resolver.seats(),
        *resolver.extensions(),
    ):
        assert entry.line.endswith("."), entry.name
