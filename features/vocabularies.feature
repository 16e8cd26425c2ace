Feature: The same lie in every design's words
  The membrane catches the lie, on the tick it is told, whoever is at work. What a design
  makes of it is its own: each has a theory of what went wrong, and its trace speaks it.

  Background:
    Given the world "restore-service"
    And the tool "apply-patch" lies once

  @must-hold @quick
  Scenario Outline: <design> tells the lie at tick 3 as <detail>
    When the design "<design>" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind | level   | action      | detail   |
      | 3    | lie  | <level> | apply-patch | <detail> |
    And the goal is reached in 7 to 9 ticks
    And the critic closes every run with
      | claims | judgements | flags |
      | 8      | 8          | 1     |

    Examples:
      | design     | level  | detail                                                   |
      | plain      | agent  | lie: success reported, effect missing; quarantined       |
      | self-model | belief | contradiction: belief quarantined, coherence 67%         |
      | bach       | belief | contradiction: belief quarantined, coherence 67%         |
      | colony     | cell   | effect missing; tool quarantined                         |
      | levin      | cell   | effect missing; tool quarantined                         |
      | map-keeper | act    | anomaly, approaching next tick: 1 of 8 stories broken    |
      | peterson   | act    | anomaly, approaching next tick: 1 of 8 stories broken    |
      | orienting  | model  | mismatch: punished, reliability 50%                      |
      | hybrid     | cell   | contradiction: belief quarantined, tool distrusted       |

  @must-hold @quick
  Scenario: The map-keeper goes towards the anomaly before it looks elsewhere
    When the design "map-keeper" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | level | stress | action      | detail                                                |
      | 3    | act   | 0.12   | apply-patch | anomaly, approaching next tick: 1 of 8 stories broken |
      | 4    | act   | 0.00   | apply-patch | approached: as foretold after all                     |
    And the goal is reached in 7 ticks

  @must-hold @quick
  Scenario: Orienting is punished, holds still for a tick, and approaches once
    When the design "orienting" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind   | level  | stress | action       | detail                                    |
      | 3    | lie    | model  | 1.00   | apply-patch  | mismatch: punished, reliability 50%       |
      | 4    | held   | reflex | 1.00   | apply-config | held: orienting, the facts are read again |
      | 5    | landed | reflex | 0.00   | apply-patch  | approach: match, reliability 75%          |
    And the goal is reached in 8 ticks
