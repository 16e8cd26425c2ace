Feature: A tool that lies
  A tool may report success and change nothing. The membrane reads the facts, so a lie
  is caught on the tick it is told, whichever design is at work, and whoever skips the
  membrane ships a service that is still broken.

  Background:
    Given the world "restore-service"

  @must-hold @quick
  Scenario: The patch says it fixed the service
    Given the tool "apply-patch" lies once
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 7 to 9 ticks
    And every trace shows these lies and no others
      | tick | tool        | caught |
      | 3    | apply-patch | yes    |
    And the tool "apply-patch" is hidden in these ticks and no others
      | from | to |
      | 4    | 6  |
    And the critic closes every run with
      | claims | judgements | flags |
      | 8      | 8          | 1     |

  @must-hold @quick
  Scenario: The control arm believes the patch and declares a broken service restored
    Given the tool "apply-patch" lies once
    When the design "careless" runs with the "bfs" seat for at most 40 ticks
    Then the run is a false completion
    And the fact "fixed" is absent when the run closes
    And every trace shows these lies and no others
      | tick | tool        | caught |
      | 3    | apply-patch | no     |

  @quick
  Scenario: Nobody lies, and nobody is accused
    When every design runs with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the goal is reached in 6 ticks

  @quick
  Scenario: Every way to the fix lies for good, so the task goes to a person
    Given the tool "apply-patch" always lies
    And the tool "apply-config" always lies
    When the design "plain" runs with the "bfs" seat for at most 40 ticks
    Then the goal is not reached
    And no run is a false completion
    And the task is handed to a person at tick 8 because of "no route"

  @quick
  Scenario: A patch that lies now and then is caught every time
    Given the tool "apply-patch" lies 50% of the time
    And the seed 7
    When the design "hybrid" runs 50 times with the "bfs" seat for at most 40 ticks
    Then every lie that is told is caught
    And no run is a false completion

  @quick
  Scenario: A lie that would come too late to matter is never told
    Given the tool "apply-patch" lies at tick 9
    When every design runs with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the goal is reached in 6 ticks
