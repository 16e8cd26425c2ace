"""Gatekeeper: the record that a release waits for, at the edges of its two options."""

import numpy as np
import pytest

from creatura.membrane.gatekeeper import ADMITTED, NO_RECORD, rulings
from creatura.protocols import LayerOptions


@pytest.mark.parametrize(
    ("landed", "judged", "min_landed", "min_share", "ruling"),
    [
        (0, 0, 0, 0.0, ADMITTED),
        (0, 0, 0, 0.6, NO_RECORD),
        (1, 1, 1, 0.6, ADMITTED),
        (1, 2, 1, 0.6, NO_RECORD),
        (3, 5, 3, 0.6, ADMITTED),
        (3, 6, 3, 0.6, NO_RECORD),
        (2, 2, 3, 0.6, NO_RECORD),
    ],
)
def test_a_release_waits_for_as_many_landed_acts_and_as_large_a_share_as_asked(
    landed, judged, min_landed, min_share, ruling
):
    options = LayerOptions(release_min_landed=min_landed, release_min_share=min_share)
    record = np.array([landed]), np.array([judged])
    release = np.array([True])
    (found,) = rulings(np.array([0]), np.array([[True]]), release, *record, options)
    assert found == ruling
