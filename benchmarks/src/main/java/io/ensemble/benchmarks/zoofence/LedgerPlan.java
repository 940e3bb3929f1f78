package io.ensemble.benchmarks.zoofence;

import java.util.List;
import java.util.stream.Stream;

/**
 * How to measure BookKeeper.
 *
 * @param entries of a ledger, one after the other
 * @param entryBytes of an entry, one after the other
 * @param writers that write ledgers at once
 * @param bookies of each of both
 */
public record LedgerPlan(
    List<Integer> entries, List<Integer> entryBytes, int writers, int bookies) {

  /** Each entry is at so many bookies. */
  static final int COPIES = 3;

  /**
   * @throws IllegalArgumentException naming what is wrong
   */
  public LedgerPlan {
    entries = List.copyOf(entries);
    entryBytes = List.copyOf(entryBytes);
    if (entries.isEmpty()
        || entryBytes.isEmpty()
        || Stream.concat(entries.stream(), entryBytes.stream()).anyMatch(count -> count < 1)) {
      throw new IllegalArgumentException(
          "entries, and bytes of 1 and more, are wanted; got " + entries + " and " + entryBytes);
    }
    if (writers < 1 || bookies < COPIES) {
      throw new IllegalArgumentException(
          "a writer and %d bookies are wanted; writers=%d bookies=%d"
              .formatted(COPIES, writers, bookies));
    }
  }
}
