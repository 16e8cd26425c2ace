Feature: A tool that fails and says so
  A failure that is reported is no lie. By default the facts come first, so the tool is
  hidden for a while all the same, and the design goes round it. A design that takes a tool
  at its word hides nothing; one that is startled by it loses a tick.

  @quick
  Scenario: The patch fails once and admits it
    Given the world "restore-service"
    And the tool "apply-patch" fails once
    When the designs "plain", "self-model", "colony" and "hybrid" run with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the goal is reached in 7 ticks
    And the tool "apply-patch" is hidden in these ticks and no others
      | from | to |
      | 4    | 6  |

  @quick
  Scenario: The map-keeper takes the patch at its word and asks it again
    Given the world "restore-service"
    And the tool "apply-patch" fails once
    When the design "map-keeper" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind    | action      |
      | 3    | failure | apply-patch |
      | 4    | landed  | apply-patch |
    And the goal is reached in 7 ticks

  @quick
  Scenario: Orienting loses a tick to an honest failure, and goes round it
    Given the world "restore-service"
    And the tool "apply-patch" fails once
    When the design "orienting" runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 8 ticks
    And the tool "apply-patch" is hidden in these ticks and no others
      | from | to |
      | 4    | 6  |

  @quick
  Scenario: A way that fails for good is gone round
    Given the world "restore-service"
    And the tool "apply-patch" always fails
    When the designs "plain" and "hybrid" run with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the goal is reached in 7 ticks

  @quick
  Scenario: A service that fails one time in four is still restored, or handed over in time
    Given the world "restore-service"
    And the tool "diagnose" fails 25% of the time
    When the design "hybrid" runs 40 times with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And no run is a false completion
