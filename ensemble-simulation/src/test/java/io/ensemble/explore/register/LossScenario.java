package io.ensemble.explore.register;

import java.util.List;
import java.util.stream.Stream;

/** Steps to the refill of a site whose promise or vote an operation has already counted. */
public final class LossScenario {

  private static final String[] COPYING = {
    "the refill begins", "the refill reads site 1", "the refill reads site 2", "the refill copies"
  };

  private static final List<String> SOURCE_LOST =
      List.of(
          "client 0 calls c31",
          "client 0's read at site 0",
          "client 0's read at site 1",
          "client 0 waits no longer",
          "client 0's swap at site 0",
          "site 0 loses its memory",
          "client 0's swap at site 1 is late",
          "client 0's read at site 2");

  /**
   * The first client, whose script is {@code c31}, has the promise of site 0, which then loses its
   * memory. While it asks the others for theirs, they settle the content, and the site is refilled.
   */
  public static final List<String> SETTLED =
      append(
          SOURCE_LOST,
          "the refill settles",
          "client 2's read at site 1",
          "client 2's read at site 2",
          "client 2's swap at site 1",
          "client 2's swap at site 2",
          "client 2's read at site 1",
          "client 2's read at site 2",
          "client 2's swap at site 1",
          "client 2's swap at site 2");

  /** As {@link #SETTLED}, but the refill copies what the others show. */
  public static final List<String> COPIED = append(SOURCE_LOST, COPYING);

  /**
   * All sites have promised the ballot of the first client, whose script is {@code c31}. Its
   * sources are sites 0 and 1. Site 0 accepts, and then loses its memory. The request to site 1 is
   * late, and that to site 2 is under way. Both have promised, and have not accepted.
   */
  public static final List<String> PROMISED =
      List.of(
          "client 0 calls c31",
          "client 0's read at site 0",
          "client 0's read at site 1",
          "client 0 waits no longer",
          "client 0's swap at site 0",
          "client 0's swap at site 1",
          "client 0's read at site 0",
          "client 0's read at site 1",
          "client 0's swap at site 0",
          "client 0's read at site 2",
          "client 0's swap at site 2",
          "site 0 loses its memory",
          "client 0's swap at site 1 is late",
          "client 0's read at site 2");

  /** As {@link #PROMISED}, and a refill copies the promised cell, as it must not. */
  public static final List<String> PROMISED_COPIED = append(PROMISED, COPYING);

  /**
   * The first client, whose script is {@code c31}, has written at sites 1 and 2. Site 2 then loses
   * its memory, and site 0 is behind.
   */
  public static final List<String> ONE_BEHIND =
      List.of(
          "client 0 calls c31",
          "client 0's read at site 1",
          "client 0's read at site 2",
          "client 0 waits no longer",
          "client 0's swap at site 1",
          "client 0's swap at site 2",
          "client 0's read at site 1",
          "client 0's read at site 2",
          "client 0's swap at site 1",
          "client 0's swap at site 2",
          "site 2 loses its memory");

  /**
   * The first client, whose script is {@code p1}, has the vote of site 0 for an absent key. Site 0
   * loses its memory, and a refill copies that the others hold nothing, while it should wait.
   */
  public static final List<String> VOTED_COPIED =
      append(
          List.of(
              "client 0 calls p1",
              "client 0's read at site 0",
              "client 0's read at site 1",
              "client 0's read at site 2",
              "client 0's swap at site 0",
              "site 0 loses its memory"),
          COPYING);

  private LossScenario() {}

  private static List<String> append(List<String> first, String... further) {
    return Stream.concat(first.stream(), Stream.of(further)).toList();
  }
}
