Feature: A seat cannot reach past what it was offered
  A script, like a model, may name any tool it likes. Only what the membrane offered may
  run; the rest is refused in writing and the tick passes.

  Background:
    Given the world "restore-service"

  @quick
  Scenario: A script names a tool that is not on offer yet
    When the design "plain" follows this script
      | tool      |
      | deploy    |
      | read-logs |
    Then these calls are refused and no others
      | tick | tool   | reason      |
      | 1    | deploy | not offered |
    And the goal is not reached

  @quick
  Scenario: A script insists on a tool that has just lied
    Given the tool "apply-patch" lies once
    When the design "plain" follows this script
      | tool         |
      | read-logs    |
      | diagnose     |
      | apply-patch  |
      | apply-patch  |
      | apply-config |
    Then these calls are refused and no others
      | tick | tool        | reason      |
      | 4    | apply-patch | not offered |
    And every trace shows these lies and no others
      | tick | tool        | caught |
      | 3    | apply-patch | yes    |
