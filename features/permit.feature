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
