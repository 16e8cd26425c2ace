Feature: Cases in a row, and what the tenth knows of the first
  The same patch lies once in every case. A design with a memory meets it once; one without
  meets it every time. What is carried is the membrane's ledger and what the design slept on.

  @must-hold @quick
  Scenario: Without a memory ten cases are ten first cases
    Given the world "restore-service"
    And the tool "apply-patch" lies once
    When the design "hybrid" runs 10 cases in a row with the "bfs" seat for at most 40 ticks
    Then the runs come to these counts
      | case    | ticks | lies told | lies caught | quarantines |
      | 1 to 10 | 7     | 1         | 1           | 1           |

  @must-hold @quick
  Scenario Outline: The <design> that remembers goes round the liar from the second case on
    Given the world "restore-service"
    And the tool "apply-patch" lies once
    When the design "<design> with memory" runs 10 cases in a row with the "bfs" seat for at most 40 ticks
    Then the runs come to these counts
      | case    | ticks   | lies told | lies caught | quarantines |
      | 1       | <first> | 1         | 1           | 1           |
      | 2 to 10 | 6       | 0         | 0           | 0           |
    And no run is a false completion

    Examples:
      | design     | first |
      | hybrid     | 7     |
      | self-model | 7     |
      | orienting  | 8     |

  @quick
  Scenario: A body without a record of itself has nothing to remember, so it meets the liar again
    Given the world "restore-service"
    And the tool "apply-patch" lies once
    When the design "colony with memory" runs 3 cases in a row with the "bfs" seat for at most 40 ticks
    Then the runs come to these counts
      | case   | ticks | lies told | quarantines |
      | 1 to 3 | 7     | 1         | 1           |

  @quick
  Scenario Outline: A record that was earned in one case lets a release go in the next
    Given the world "pier"
    When the design "<design>" runs 2 cases in a row with the "script:fire-flare,coil-rope,row-out,light-lantern,fire-flare" seat for at most 40 ticks
    Then the runs come to these counts
      | case | ticks   | refused   |
      | 1    | 5       | 1         |
      | 2    | <ticks> | <refused> |

    Examples:
      | design                          | ticks | refused |
      | plain                           | 5     | 1       |
      | plain with memory               | 1     | 0       |
      | plain with memory(ledger=False) | 5     | 1       |
