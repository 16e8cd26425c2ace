Feature: A behaviour is hung on any design
  An extension answers at the loop's own verbs: it re-judges an act, sends a hand-off back,
  proposes a step, or has a record carried. The design under it is not touched, and neither are
  the facts.

  @quick
  Scenario: A colony hides a tool that admits its failure, and with the extension it does not
    Given the world "restore-service"
    And the tool "apply-patch" fails twice
    When the designs "colony" and "colony with honest-failure" run with the "bfs" seat for at most 20 ticks
    Then no lie is told
    And the runs come to these counts
      | design                     | failed | quarantines | ticks |
      | colony                     | 1      | 1           | 7     |
      | colony with honest-failure | 2      | 0           | 8     |

  @quick
  Scenario: A map-keeper never needs it
    Given the world "restore-service"
    And the tool "apply-patch" fails twice
    When the designs "map-keeper" and "map-keeper with honest-failure" run with the "bfs" seat for at most 20 ticks
    Then the runs come to these counts
      | failed | quarantines | ticks |
      | 2      | 0           | 8     |

  @quick
  Scenario: Where the map runs out, exploration leans on the door
    Given the world "locked_cellar"
    And the tool "turn-key" always fails
    When the design "plain with exploration" runs with the "bfs" seat for at most 20 ticks
    Then the trace shows these rows
      | tick | kind    | action       |
      | 1    | failure | turn-key     |
      | 2    | landed  | lift-rug     |
      | 3    | landed  | ring-bell    |
      | 4    | landed  | lean-on-door |
    And the goal is reached in 4 ticks

  @quick
  Scenario: A calm design gives up exploring after one step in vain
    Given the world "locked_cellar"
    And the tool "turn-key" always fails
    And the tool "lift-rug" always lies
    When the design "plain with exploration(scaled=True)" runs with the "bfs" seat for at most 20 ticks
    Then the task is handed to a person at tick 6 because of "no route"

  @quick
  Scenario: A person sends the task back before taking it
    Given the world "restore-service"
    And the tool "diagnose" always fails
    When the design "plain with veto(times=2, why='try once more')" runs with the "bfs" seat for at most 20 ticks
    Then the trace shows these rows
      | tick | kind       | detail                            |
      | 6    | vetoed     | no route; sent back: try once more |
      | 7    | vetoed     | no route; sent back: try once more |
      | 8    | handed-off | no route                          |

  @quick
  Scenario: Case ten knows what case one learned
    Given the world "restore-service"
    And the tool "apply-patch" always lies
    When the design "hybrid with memory" runs 10 cases in a row with the "bfs" seat for at most 20 ticks
    Then the runs come to these counts
      | case    | lies told | ticks |
      | 1       | 1         | 7     |
      | 2 to 10 | 0         | 6     |
