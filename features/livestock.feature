Feature: A herd may move when it is seen, vaccinated and permitted
  A vet may say yes from the desk, doses may arrive warm, an office may be closed. Animals do
  not move on the strength of a report, unless nobody looks.

  Background:
    Given the world "livestock"

  @must-hold @quick
  Scenario: With no barrier every design moves the herd
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 6 ticks
    And no lie is told

  @quick
  Scenario: Warm doses are found out, and others are borrowed
    Given the barrier "cold-chain-breaks" is on
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 7 to 8 ticks
    And every trace shows these lies and no others
      | tick | tool        | caught |
      | 3    | fetch-doses | yes    |

  @quick
  Scenario Outline: The control arm moves a herd that <is not so>
    Given the barrier "<barrier>" is on
    When the design "careless" runs with the "bfs" seat for at most 40 ticks
    Then the run is a false completion
    And the fact "<fact>" is absent when the run closes

    Examples:
      | is not so         | barrier           | fact       |
      | no vet has seen   | vet-says-yes      | vet_seen   |
      | got warm doses    | cold-chain-breaks | doses_cold |
      | lost its vaccine  | doses-warm-up     | vaccinated |

  @quick
  Scenario: There is one vet, so a yes from the desk costs a wait, or the whole task
    Given the barrier "vet-says-yes" is on
    When the designs "plain", "self-model", "colony", "map-keeper", "orienting" and "hybrid" run with the "bfs" seat for at most 40 ticks
    Then every trace shows these lies and no others
      | tick | tool     | caught |
      | 2    | call-vet | yes    |
    And the runs end like this
      | design     | tick | end        | reason   |
      | plain      | 6    | handed off | no route |
      | self-model | 10   | done       |          |
      | colony     | 10   | done       |          |
      | map-keeper | 7    | done       |          |
      | orienting  | 8    | done       |          |
      | hybrid     | 10   | done       |          |

  @quick
  Scenario: A closed office says so, and whoever takes its word loses a tick and no trust
    Given the barrier "office-closed" is on
    When the designs "map-keeper", "colony with honest-failure" and "colony" run with the "bfs" seat for at most 40 ticks
    Then no lie is told
    And the runs come to these counts
      | design                     | ticks | failed | quarantines |
      | map-keeper                 | 7     | 1      | 0           |
      | colony with honest-failure | 7     | 1      | 0           |
      | colony                     | 10    | 1      | 1           |

  @quick
  Scenario: Everything at once
    Given every barrier is on
    When the designs "self-model", "colony", "map-keeper", "orienting", "hybrid", "hybrid(count_waiting=False)" and "careless" run with the "bfs" seat for at most 40 ticks
    Then the runs end like this
      | design                      | tick | end              |
      | self-model                  | 16   | done             |
      | colony                      | 16   | done             |
      | map-keeper                  | 10   | done             |
      | orienting                   | 15   | done             |
      | hybrid                      | 15   | handed off       |
      | hybrid(count_waiting=False) | 16   | done             |
      | careless                    | 7    | false completion |
