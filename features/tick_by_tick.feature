Feature: What a person who looks would say, tick by tick
  A table is laid, soup is heated, one tick passes, lunch is served; the table goes wrong in
  every way there is. Whoever looked at it would say what the trace says, whatever was reported.

  Background:
    Given the world "canteen"

  @quick
  Scenario Outline: <what happens>
    Given these faults
      | tool   | mode   | when | delay | fact   |
      | <tool> | <mode> | once | 2     | <fact> |
    When the design "plain(cooldown_ticks=1)" follows this script
      | tool      |
      | lay-table |
      | heat-soup |
      | -         |
      | serve     |
      | lay-table |
      | serve     |
    Then the trace shows these rows
      | tick | kind     |
      | 1    | <tick 1> |
      | 2    | <tick 2> |
      | 3    | <tick 3> |
      | 4    | <tick 4> |
    And the goal is reached in <ticks> ticks
    And no run is a false completion

    Examples:
      | what happens                          | tool      | mode        | fact       | tick 1  | tick 2   | tick 3   | tick 4  | ticks |
      | All goes well                         | lay-table | deliver     |            | landed  | landed   | passed   | landed  | 4     |
      | It is not laid, and that is said      | lay-table | fail        |            | failure | landed   | passed   | refused | 6     |
      | It is not laid, and said to be        | lay-table | lie         |            | lie     | landed   | passed   | refused | 6     |
      | The glasses are forgotten             | lay-table | partial     |            | partial | landed   | passed   | refused | 6     |
      | It is laid two ticks late             | lay-table | late        |            | lie     | landed   | arrived  | landed  | 4     |
      | It is cleared again after two ticks   | lay-table | reverts     |            | landed  | landed   | reverted | refused | 6     |
      | It is laid, and said not to be        | lay-table | false alarm |            | landed  | landed   | passed   | landed  | 4     |
      | Heating soup knocks the plates off    | heat-soup | damage      | plates_set | landed  | reverted | passed   | refused | 6     |
      | The hands drop everything and run     | lay-table | crash       |            | failure | landed   | passed   | refused | 6     |

  @quick
  Scenario: What was cleared again is an open obligation again, and is laid anew
    Given these faults
      | tool      | mode    | when | delay |
      | lay-table | reverts | once | 1     |
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind     | action    |
      | 1    | landed   | lay-table |
      | 2    | reverted | lay-table |
      | 3    | landed   | lay-table |
      | 4    | landed   | serve     |
    And the goal is reached in 4 ticks

  @quick
  Scenario: Slow hands come back with the table laid, and whoever asked them waits
    Given these faults
      | tool      | mode | when | delay |
      | lay-table | slow | once | 2     |
    When the design "plain" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind   | action    |
      | 1    | busy   | lay-table |
      | 2    | busy   | lay-table |
      | 3    | landed | lay-table |
    And the goal is reached in 5 ticks

  @quick
  Scenario: Soup where a table was asked for is a lie about the table
    Given these faults
      | tool      | mode  | when | fact     |
      | lay-table | wrong | once | soup_hot |
    When the design "hybrid(count_waiting=False)" runs with the "bfs" seat for at most 40 ticks
    Then every trace shows these lies and no others
      | tick | tool      | caught |
      | 1    | lay-table | yes    |
    And the trace shows these rows
      | tick | kind   | action    |
      | 5    | landed | lay-table |
      | 6    | landed | serve     |
