"""The membrane: what stands between a seat and the world, for one agent over a batch of runs."""

from creatura.membrane.aftermath import Notices
from creatura.membrane.control_layer import Judgement, Layer, Offer, open_layer
from creatura.membrane.ledger import Acts, Ledger

__all__ = ["Acts", "Judgement", "Layer", "Ledger", "Notices", "Offer", "open_layer"]
