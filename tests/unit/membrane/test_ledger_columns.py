"""Ledger: its counts are whole numbers, and its flags can be negated."""

import numpy as np
import pytest

from creatura.membrane.ledger import Ledger

COUNTS = "attempts landed vacuous lies failures predictions hits failed_in_row".split()


@pytest.mark.parametrize("column", COUNTS)
def test_a_count_is_a_whole_number_of_four_bytes_for_each_run_and_tool(column):
    counts = getattr(Ledger(2, 3), column)
    assert (counts.shape, counts.dtype) == ((2, 3), np.int32)


def test_the_log_of_a_carried_quarantine_has_whole_ticks_and_plain_flags():
    ledger = Ledger(1, 2)
    ledger.hide(np.array([0]), np.array([1]), np.array([False]), tick=3, cooldown=3)
    (entry,) = ledger.carried(np.array([4])).quarantines
    assert entry.until.tolist() == [2]
    assert np.issubdtype(entry.until.dtype, np.integer)
    assert (~entry.lies).tolist() == [True]
