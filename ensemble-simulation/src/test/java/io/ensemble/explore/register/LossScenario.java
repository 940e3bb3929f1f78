package io.ensemble.explore.register;

import java.util.List;

/**
 * The first client, whose script is {@code c31}, has the promise of site 0, which then loses its
 * memory. While it asks the others for theirs, they settle the content, and the site is refilled.
 */
public final class LossScenario {

  public static final List<String> STEPS =
      List.of(
          "client 0 calls c31",
          "client 0's read at site 0",
          "client 0's read at site 1",
          "client 0 waits no longer",
          "client 0's swap at site 0",
          "site 0 loses its memory",
          "client 0's swap at site 1 is late",
          "client 0's read at site 2",
          "the refill begins",
          "client 2's read at site 1",
          "client 2's read at site 2",
          "client 2's swap at site 1",
          "client 2's swap at site 2",
          "client 2's read at site 1",
          "client 2's read at site 2",
          "client 2's swap at site 1",
          "client 2's swap at site 2");

  private LossScenario() {}
}
