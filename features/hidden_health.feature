Feature: What is true, what is felt and what is shown
  A painkiller feels like a cure. A sailor's health, what the sailor feels of it and what the crew
  sees of that are three variables; duty asks for the first, and a pill moves only the second.

  Background:
    Given the world "hidden_health"

  @must-hold @quick
  Scenario: With a cure that cures, every design is fit for duty again
    When every design runs with the "bfs" seat for at most 40 ticks
    Then the goal is reached in 4 ticks
    And no lie is told

  @must-hold @quick
  Scenario: A painkiller alone makes nobody fit, and what it makes one feel wears off
    When the design "plain" follows this script
      | tool            |
      | see-doctor      |
      | take-painkiller |
      | sign-off        |
      | -               |
    Then the trace shows these rows
      | tick | kind     | action          |
      | 1    | landed   | see-doctor      |
      | 2    | landed   | take-painkiller |
      | 3    | refused  | sign-off        |
      | 4    | reverted | take-painkiller |
    And the fact "certified" is absent when the run closes
    And no run is a false completion

  @must-hold @quick
  Scenario: A cure that only says it cured is caught, however well its taker feels
    Given the tool "take-cure" lies once
    When every design runs with the "bfs" seat for at most 40 ticks
    Then every trace shows these lies and no others
      | tick | tool      | caught |
      | 3    | take-cure | yes    |
    And no run is a false completion
