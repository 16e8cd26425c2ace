Feature: A permit, and a gateway that says paid
  Anyone who has stood at an official's desk knows the receipt that the registry does not.
  What ends the published hybrid here is not the gateway but how it counts the waiting.

  Background:
    Given the world "permit"

  @must-hold @quick
  Scenario: With no barrier every design gets the permit
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 6 ticks
    And no lie is told

  @must-hold @quick
  Scenario: The published hybrid counts the waiting and gives up at tick nine
    Given every barrier is on
    When the design "hybrid" runs with the "bfs" seat for at most 40 ticks
    Then the task is handed to a person at tick 9 because of "stuck regulation"
    And every trace shows these lies and no others
      | tick | tool    | caught |
      | 4    | pay-fee | yes    |

  @must-hold @quick
  Scenario: The same hybrid, not counting the waiting, gets the permit
    Given every barrier is on
    When the design "hybrid(count_waiting=False)" runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 12 to 15 ticks
    And no run is a false completion

  @quick
  Scenario: There is one gateway, so its lie costs a wait, or the whole task
    Given the barrier "gateway-lies" is on
    When the designs "plain", "self-model", "colony", "map-keeper", "orienting" and "hybrid" run with the "bfs" seat for at most 40 ticks
    Then every trace shows these lies and no others
      | tick | tool    | caught |
      | 4    | pay-fee | yes    |
    And the tool "pay-fee" is hidden in these ticks and no others
      | from | to |
      | 5    | 7  |
    And the runs end like this
      | design     | tick | end        | reason   |
      | plain      | 8    | handed off | no route |
      | self-model | 10   | done       |          |
      | colony     | 10   | done       |          |
      | map-keeper | 7    | done       |          |
      | orienting  | 8    | done       |          |
      | hybrid     | 10   | done       |          |

  @quick
  Scenario: The control arm shows the receipt at the registry, and holds a permit that nobody paid for
    Given the barrier "gateway-lies" is on
    When the design "careless" runs with the "bfs" seat for at most 40 ticks
    Then the run is a false completion
    And the fact "fee_paid" is absent when the run closes
    And every trace shows these lies and no others
      | tick | tool    | caught |
      | 4    | pay-fee | no     |

  @quick
  Scenario: A gateway that is down says so, and whoever takes its word loses one tick
    Given the barrier "gateway-down" is on
    When the designs "map-keeper", "colony with honest-failure", "colony" and "careless" run with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the runs come to these counts
      | design                     | ticks | failed | quarantines | waited |
      | map-keeper                 | 7     | 1      | 0           | 0      |
      | colony with honest-failure | 7     | 1      | 0           | 0      |
      | colony                     | 10    | 1      | 1           | 3      |
      | careless                   | 7     | 1      | 0           | 0      |

  @quick
  Scenario: A lie and then a failure, and what each design makes of the two
    Given every barrier is on
    When the designs "plain", "self-model", "colony", "map-keeper", "orienting" and "careless" run with the "bfs" seat for at most 40 ticks
    Then the runs end like this
      | design     | tick | end              | reason   |
      | plain      | 8    | handed off       | no route |
      | self-model | 12   | handed off       | no route |
      | colony     | 14   | done             |          |
      | map-keeper | 10   | done             |          |
      | orienting  | 12   | done             |          |
      | careless   | 6    | false completion |          |
