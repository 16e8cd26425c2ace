Feature: Effects that come late, in part, elsewhere, or not for long
  A report says little and a person looks at the facts. The membrane gives each act the
  verdict that such a person would give, on the tick it happens.

  Scenario: A gate that slips shut no longer lets the water through
    Given the world "water-board"
    And the barrier "gate-slips" is on
    When the design "plain" follows this script
      | tool             |
      | ask-for-a-turn   |
      | see-the-official |
      | open-gate        |
      | crank-gate       |
      | irrigate         |
    Then the trace shows these rows
      | tick | kind    | action     |
      | 3    | landed  | open-gate  |
      | 4    | vacuous | crank-gate |
      | 5    | refused | irrigate   |

  Scenario: Vaccinated animals that are vaccinated no longer open the obligation again
    Given the world "livestock"
    And the barrier "doses-warm-up" is on
    When the design "hybrid" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | level  | stress | action           |
      | 5    | tissue | 0.33   | apply-for-permit |
      | 6    | tissue | 0.33   | vaccinate        |
    And no run is a false completion

  Scenario: One table of faults, one verdict each
    Given the world "livestock"
    And these faults
      | tool             | mode        | when  | delay | fact   |
      | tag-animals      | false alarm | once  |       |        |
      | call-vet         | crash       | once  |       |        |
      | fetch-doses      | wrong       | once  |       | tagged |
      | apply-for-permit | slow        | once  | 2     |        |
    When the design "hybrid(count_waiting=False)" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind    | action       |
      | 1    | landed  | tag-animals  |
      | 2    | failure | call-vet     |
      | 6    | landed  | call-vet     |
      | 7    | lie     | fetch-doses  |
      | 8    | landed  | borrow-doses |
      | 9    | landed  | vaccinate    |
      | 10   | busy    | apply-for-permit |
      | 12   | landed  | apply-for-permit |
    And no run is a false completion

  @quick
  Scenario: Trouble that keeps to a timetable
    Given the world "restore-service"
    And these faults
      | tool         | mode | when             |
      | apply-patch  | fail | at ticks 3 and 7 |
      | apply-config | lie  | at tick 4        |
    When the design "plain" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind       | action       |
      | 3    | failure    | apply-patch  |
      | 4    | lie        | apply-config |
      | 8    | handed-off | hand off     |
