package io.ensemble.explore.register;

import java.util.List;

/** Steps to a confirmation that meets a promise of another ballot. */
public final class ConfirmationScenario {

  /** The scenario's operations, and its options. */
  public static final String SCRIPT = "c24;c23;g;g";

  /** The options of the scenario. */
  public static final String OPTIONS = "i2 a2 c2";

  /**
   * A majority, sites 0 and 1, holds a vote of client 1. A read confirms it at site 1. Sites 0 and
   * 2 have promised a higher ballot, with which client 0 may write as if the vote had failed.
   */
  public static final List<String> PROMISED =
      List.of(
          "client 1 calls c23",
          "client 1's read at site 0",
          "client 1's read at site 1",
          "client 1's read at site 2",
          "client 1's swap at site 0",
          "client 1's swap at site 1",
          "client 1 crashes",
          "client 2 calls g",
          "client 2's read at site 0",
          "client 2's read at site 1",
          "client 2 waits no longer",
          "client 0 calls c24",
          "client 0's read at site 0",
          "client 0's read at site 2",
          "client 0 waits no longer",
          "client 2's swap at site 1",
          "client 2 crashes",
          "client 0's swap at site 0",
          "client 0's swap at site 2");

  private ConfirmationScenario() {}
}
