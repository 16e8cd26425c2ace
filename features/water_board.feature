Feature: A dry field, a gate, and an official who is sometimes there
  Water comes to whoever has the turn, the quota and an open gate. The motor may say that the
  gate is open, the official may be out, and either may take back what was given.

  Background:
    Given the world "water-board"

  @must-hold @quick
  Scenario: With no barrier every design waters the field
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 5 ticks
    And no lie is told

  @quick
  Scenario: The motor lies, and everyone who looks takes the crank
    Given the barrier "motor-lies" is on
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 6 to 7 ticks
    And every trace shows these lies and no others
      | tick | tool      | caught |
      | 3    | open-gate | yes    |
    And the tool "open-gate" is hidden in these ticks and no others
      | from | to |
      | 4    | 6  |

  @quick
  Scenario: Whoever believes the motor closes the turn over a dry field
    Given the barrier "motor-lies" is on
    When the design "careless" runs with the "bfs" seat for at most 40 ticks
    Then the run is a false completion
    And the fact "field_wet" is absent when the run closes
    And every trace shows these lies and no others
      | tick | tool      | caught |
      | 3    | open-gate | no     |
      | 4    | irrigate  | no     |

  @quick
  Scenario: The official is out and says so, and there is no other one to see
    Given the barrier "official-is-out" is on
    When the designs "plain", "hybrid", "colony", "map-keeper" and "careless" run with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the runs end like this
      | design     | tick | end        | reason   |
      | plain      | 6    | handed off | no route |
      | hybrid     | 9    | done       |          |
      | colony     | 9    | done       |          |
      | map-keeper | 6    | done       |          |
      | careless   | 6    | done       |          |

  @quick
  Scenario: A quota that is taken back is asked for again while the gate stands open
    Given the barrier "official-thinks-again" is on
    When the design "hybrid" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind     | action           |
      | 2    | landed   | see-the-official |
      | 4    | landed   | irrigate         |
      | 4    | reverted | see-the-official |
      | 5    | landed   | see-the-official |
      | 6    | landed   | close-turn       |

  @quick
  Scenario: Everything at once
    Given every barrier is on
    When the designs "self-model", "colony", "map-keeper", "orienting", "hybrid" and "careless" run with the "bfs" seat for at most 40 ticks
    Then the runs end like this
      | design     | tick | end              |
      | self-model | 11   | done             |
      | colony     | 11   | done             |
      | map-keeper | 9    | done             |
      | orienting  | 12   | done             |
      | hybrid     | 11   | done             |
      | careless   | 6    | false completion |
