Feature: The hybrid tells its own story of a lie
  The hybrid's stress and freedom are published to two decimals for the one-lie world. If
  a row moves, the design is no longer the one that was published.

  @must-hold @quick
  Scenario: The published trace, row by row
    Given the world "restore-service"
    And the tool "apply-patch" lies once
    When the design "hybrid" runs with the "bfs" seat for at most 40 ticks
    Then the trace shows these rows
      | tick | level    | stress | freedom | action        | detail                                                   |
      | 3    | cell     | 1.00   | 0.65    | apply-patch   | contradiction: belief quarantined, tool distrusted       |
      | 4    | tissue   | 0.67   | 0.65    | apply-config  | plan: apply-config → run-tests → deploy → resolve-alert |
      | 4    | cell     | 0.00   | 0.65    | apply-config  | coherence 75%                                            |
      | 6    | cell     | 0.00   | 0.65    | deploy        | coherence 83%                                            |
      | 7    | tissue   | 0.17   | 0.80    | resolve-alert | last step                                                |
      | 7    | organism | 0.00   | 0.80    | contract met  | restore the service complete                             |
      | 7    | organism | 0.00   | 0.00    | sleep         | coherence 86%, predictions 86%, stage 4                  |
