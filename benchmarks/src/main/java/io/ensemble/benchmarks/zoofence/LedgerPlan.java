package io.ensemble.benchmarks.zoofence;

import java.util.List;
import java.util.stream.Stream;

/**
 * The plan for measurements of BookKeeper.
 *
 * @param entries the numbers of entries of a ledger, measured one after the other
 * @param entryBytes the sizes of an entry, measured one after the other
 * @param writers the number of concurrent writers of ledgers
 * @param bookies the number of bookies of each system
 */
public record LedgerPlan(
    List<Integer> entries, List<Integer> entryBytes, int writers, int bookies) {

  /** The number of bookies with a copy of each entry. */
  static final int COPIES = 3;

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public LedgerPlan {
    entries = List.copyOf(entries);
    entryBytes = List.copyOf(entryBytes);
    if (entries.isEmpty()
        || entryBytes.isEmpty()
        || Stream.concat(entries.stream(), entryBytes.stream()).anyMatch(count -> count < 1)) {
      throw new IllegalArgumentException(
          "entries, and bytes of 1 and more, are required; got " + entries + " and " + entryBytes);
    }
    if (writers < 1 || bookies < COPIES) {
      throw new IllegalArgumentException(
          "a writer and %d bookies are required; writers=%d bookies=%d"
              .formatted(COPIES, writers, bookies));
    }
  }
}
