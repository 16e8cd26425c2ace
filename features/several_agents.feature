Feature: Several agents in one world
  Each has a membrane and a record of its own; the facts are everybody's. A lie to one is a lie
  to that one only, and what one of them does the others find done, or undone. Agents count from 0.

  @quick
  Scenario: Each agent catches the lies that it is told, and answers for itself
    Given the world "restore-service"
    And the tool "diagnose" lies to agent 0 once
    And the tool "diagnose" lies to agent 1 twice
    When the designs "plain" and "hybrid" run together with the "bfs" seat for at most 40 ticks
    Then every trace shows these lies and no others
      | tick | agent | tool     | caught |
      | 2    | 0     | diagnose | yes    |
      | 2    | 1     | diagnose | yes    |
      | 6    | 1     | diagnose | yes    |
    And the runs end like this
      | agent | tick | end        | reason                                                   |
      | 0     | 6    | handed off | no route                                                 |
      | 1     | 7    | handed off | stuck regulation: 5 ticks with no progress at 50% freedom |

  @quick
  Scenario: A lie that another agent makes true in the same tick misleads nobody
    Given the world "restore-service"
    And the tool "apply-patch" lies to agent 0 once
    When the designs "plain" and "hybrid" run together with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the goal is reached in 6 ticks
    And no run is a false completion

  @quick
  Scenario: The plates that one cook knocks off are missed by the other as well
    Given the world "canteen"
    And these faults
      | tool      | mode   | when | fact       | agent |
      | heat-soup | damage | once | plates_set | 1     |
    When the designs "plain" and "plain" run together with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | agent | kind     | action    |
      | 2    | 0     | landed   | heat-soup |
      | 2    | 0     | reverted | lay-table |
      | 2    | 1     | landed   | heat-soup |
      | 2    | 1     | reverted | lay-table |
      | 3    | 0     | landed   | lay-table |
    And the goal is reached in 4 ticks
