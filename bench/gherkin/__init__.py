"""Gherkin: reads feature files and finds what is wrong with them, without running anything."""

from bench.gherkin.check import check_feature, inspect_feature
from bench.gherkin.reader import read_feature
from bench.gherkin.tags import TAGS

__all__ = ["TAGS", "check_feature", "inspect_feature", "read_feature"]
