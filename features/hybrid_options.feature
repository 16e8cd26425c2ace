Feature: What the hybrid's author described and did not build
  Four options complete the published design. Each is off unless it is asked for, and each
  of them decides something that can be seen: freedom, a hand-off, or who is asked again.

  @quick
  Scenario Outline: On a leaky bus freedom falls as obligations close (leak <leak>)
    Given the world "restore-service"
    When the design "hybrid(leak=<leak>)" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | level    | stress | freedom | action       |
      | 1    | tissue   | 1.00   | <early> | read-logs    |
      | 3    | tissue   | 0.67   | <mid>   | apply-patch  |
      | 5    | tissue   | 0.33   | <late>  | deploy       |
      | 6    | organism | 0.00   | <end>   | contract met |
    And the goal is reached in 6 ticks

    Examples:
      | leak | early | mid  | late | end  |
      | 0.0  | 0.65  | 0.65 | 0.65 | 0.80 |
      | 0.5  | 0.55  | 0.40 | 0.25 | 0.17 |

  @quick
  Scenario: A long way to the first obligation looks like being stuck
    Given the world "bread"
    When the design "hybrid" runs with the "bfs" seat for at most 40 ticks
    Then the task is handed to a person at tick 6 because of "stuck regulation"
    And no lie is told

  @quick
  Scenario: Set points that the tissue derives are steps on that way
    Given the world "bread"
    When the design "hybrid(derive_set_points=True)" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind    | level  | stress | action      |
      | 2    | decided | tissue | 0.89   | sow         |
      | 6    | decided | tissue | 0.44   | store-grain |
    And the goal is reached in 9 ticks

  @quick
  Scenario Outline: A tool that admitted its failure is <asked> (shared_memory=<shared>)
    Given the world "restore-service"
    And the tool "apply-patch" fails once
    When the design "hybrid(judge_rule='report-first', shared_memory=<shared>)" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | kind    | action      |
      | 3    | failure | apply-patch |
      | 4    | landed  | <next>      |
    And the goal is reached in 7 ticks

    Examples:
      | shared | asked      | next         |
      | False  | gone round | apply-config |
      | True   | trusted    | apply-patch  |

  @quick
  Scenario Outline: A tissue whose acts bring nothing nearer loses room (gate_levels=<gated>)
    Given the world "bread"
    When the design "hybrid(stuck_margin=9, gate_levels=<gated>)" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | level  | freedom | action            |
      | 2    | tissue | 0.65    | sow               |
      | 3    | tissue | <third> | weed              |
      | 5    | tissue | <fifth> | thresh-by-machine |
    And the goal is reached in 9 ticks

    Examples:
      | gated | third | fifth |
      | False | 0.65  | 0.65  |
      | True  | 0.50  | 0.30  |

  @quick
  Scenario: Where all levels are gated, a release that failed twice is for a person to ship
    Given the world "restore-service"
    And the tool "deploy" fails twice
    When the design "hybrid(count_waiting=False, gate_levels=True)" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | level    | freedom | action   | detail                               |
      | 13   | organism | 0.50    | hand off | no route; the cell holds back deploy |
    And the task is handed to a person at tick 13 because of "no route"

  @quick
  Scenario: Where only the organism is gated, it ships at the third try
    Given the world "restore-service"
    And the tool "deploy" fails twice
    When the design "hybrid(count_waiting=False)" runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 14 ticks
