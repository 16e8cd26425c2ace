"""Phases: the eighteen parts of a step, in the order they run.

Within a phase every rule reads the state as the phase found it, and all writes land at once.
"""

PHASES = (
    "ingest_actions",
    "advance_global_time",
    "compute_action_legality_masks",
    "apply_movement_and_wait_costs",
    "resolve_affordance_access_and_occupancy",
    "apply_action_costs",
    "advance_interaction_progress",
    "apply_action_effects",
    "apply_completion_bonuses",
    "apply_passive_depletion",
    "apply_modulations",
    "apply_threshold_cascades",
    "apply_social_residue_effects",
    "clamp_and_validate",
    "evaluate_terminal_conditions",
    "compute_rewards",
    "emit_observation_features",
    "emit_telemetry",
)

CLAMP_PHASE = "clamp_and_validate"  # where declared ranges are enforced
DERIVE_PHASE = "emit_observation_features"  # where derived variables are computed

POSITION = {phase: position for position, phase in enumerate(PHASES)}
