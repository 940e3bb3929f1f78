package io.ensemble.testkit.history.versioned;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.versioned.VersionedReading.ItemGap;
import io.ensemble.testkit.history.versioned.VersionedReading.SeenVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The items that the operations without a place yet expect to find, or to find missing. A step is
 * not tried if one of these operations could not end as recorded after it. A version that is there
 * stays until it is compacted. So a version that an operation has missed is not added before that
 * operation; a version that no operation misses may be added as early as possible. Of operations of
 * unknown outcome, only those whose effect another operation expects are run.
 */
final class VersionedLookahead {

  /**
   * The expectation of one operation.
   *
   * @param gaps items that are not there yet
   * @param seen items of which one each is there
   * @param answered the rank of a version as of which the key had not been read; NONE for none
   * @param cut the rank of a version as of which the key had been read; NONE for none
   */
  private record Expectation(List<ItemGap> gaps, List<SeenVersion> seen, int answered, int cut) {}

  private static final Expectation NOTHING =
      new Expectation(List.of(), List.of(), VersionedItems.NONE, VersionedItems.NONE);

  private final long[] ranked;
  private final Expectation[] expectations;
  private final FenwickTree missedItems;
  private final int[] expectedCount;

  /** By the first item of each version, the number of compactions that name the version. */
  private final int[] compactionsByVersion;

  /** By item, the first item of its version. */
  private final int[] firstItemOfVersion;

  /** By compaction, the first item of the version that it names; NONE for other operations. */
  private final int[] compactedItem;

  private final FenwickTree answered;
  private final FenwickTree cut;

  VersionedLookahead(List<HistoryOperation> operations, VersionedItems items) {
    ranked = ranked(operations, items);
    missedItems = new FenwickTree(items.size());
    expectedCount = new int[items.size()];
    compactionsByVersion = new int[items.size() + 1];
    firstItemOfVersion = new int[items.size()];
    Arrays.setAll(firstItemOfVersion, item -> items.below(items.version(item)));
    compactedItem = new int[operations.size()];
    answered = new FenwickTree(ranked.length);
    cut = new FenwickTree(ranked.length);
    List<HistoryOperation> compactions =
        operations.stream()
            .filter(operation -> VersionedOp.of(operation) == VersionedOp.COMPACT)
            .toList();
    boolean[] valueSeen = new boolean[items.size()];
    expectations = new Expectation[operations.size()];
    for (int i = 0; i < expectations.length; i++) {
      HistoryOperation operation = operations.get(i);
      boolean known = operation.outcome() == HistoryOutcome.OK;
      compactedItem[i] =
          VersionedOp.of(operation) == VersionedOp.COMPACT
              ? items.below(operation.in().longValue())
              : VersionedItems.NONE;
      expectations[i] =
          known
              ? expectation(operation, items, firstLasting(operation, compactions, items))
              : NOTHING;
      for (SeenVersion seen : expectations[i].seen()) {
        if (seen.first() == seen.last() && seen.first() >= 0) {
          valueSeen[seen.first()] = true;
        }
      }
    }
    for (int i = 0; i < expectations.length; i++) {
      int item = items.ofOperation(i);
      if (expectations[i] == NOTHING
          && item >= 0
          && valueSeen[item]) { // Unknown, but it took effect.
        int rank = rank(items.version(item));
        expectations[i] = new Expectation(List.of(), List.of(), rank, VersionedItems.NONE);
      }
      count(i, 1);
    }
  }

  private static long[] ranked(List<HistoryOperation> operations, VersionedItems items) {
    List<Long> versions = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      if (VersionedOp.of(operations.get(i)) == VersionedOp.PUT_VERSION) {
        versions.add(operations.get(i).in().get(0).longValue());
      } else if (items.ofOperation(i) >= 0) {
        versions.add(items.version(items.ofOperation(i)));
      }
    }
    return versions.stream().mapToLong(Long::longValue).sorted().distinct().toArray();
  }

  private int rank(long version) {
    return Arrays.binarySearch(ranked, version);
  }

  /** The number of ranked versions at {@code version} or below. */
  private int upTo(long version) {
    int rank = rank(version);
    return rank >= 0 ? rank + 1 : -rank - 1;
  }

  /** The first item that cannot have been compacted before the operation returned. */
  private static int firstLasting(
      HistoryOperation operation, List<HistoryOperation> compactions, VersionedItems items) {
    long bound = Long.MIN_VALUE;
    for (HistoryOperation compaction : compactions) {
      if (compaction.callNanos() <= operation.lastNanos()) {
        bound = Math.max(bound, compaction.in().longValue());
      }
    }
    return items.below(bound);
  }

  private Expectation expectation(HistoryOperation operation, VersionedItems items, int lasting) {
    int none = VersionedItems.NONE;
    VersionedReading reading = VersionedReading.of(operation, items);
    if (reading != null) {
      return new Expectation(reading.gaps(lasting, items.size()), reading.seen(), none, none);
    }
    if (VersionedOp.of(operation) == VersionedOp.ADD_VERSION) {
      long version = operation.out().longValue();
      ItemGap above = new ItemGap(items.upTo(version), items.size());
      return new Expectation(List.of(above), List.of(), rank(version), none);
    }
    if (VersionedOp.of(operation) != VersionedOp.PUT_VERSION) {
      return NOTHING;
    }
    long version = operation.in().get(0).longValue();
    SeenVersion there = new SeenVersion(items.below(version), items.upTo(version) - 1);
    return switch (operation.out().textValue()) {
      case VersionedOp.BELOW_CUT -> new Expectation(List.of(), List.of(), none, rank(version));
      case VersionedOp.EXISTS -> new Expectation(List.of(), List.of(there), rank(version), none);
      case VersionedOp.NOT_ABOVE -> NOTHING;
      default -> new Expectation(List.of(), List.of(), rank(version), none);
    };
  }

  /** Counts an operation in, or out when it has a place. */
  void count(int operation, int amount) {
    Expectation expectation = expectations[operation];
    if (compactedItem[operation] >= 0) {
      compactionsByVersion[compactedItem[operation]] += amount;
    }
    for (ItemGap gap : expectation.gaps()) {
      missedItems.add(gap.from(), amount);
      missedItems.add(gap.to(), -amount);
    }
    for (SeenVersion seen : expectation.seen()) {
      for (int item = Math.max(0, seen.first()); item <= seen.last(); item++) {
        expectedCount[item] += amount;
      }
    }
    if (expectation.answered() >= 0) {
      answered.add(expectation.answered(), amount);
    }
    if (expectation.cut() >= 0) {
      cut.add(expectation.cut(), amount);
    }
  }

  /** Whether an operation without a place expects that the item has never been there. */
  boolean isMissed(int item) {
    return missedItems.before(item + 1) > 0;
  }

  /** Whether an operation without a place expects the item. */
  boolean isExpected(int item) {
    return expectedCount[item] > 0;
  }

  /** Whether the presence of the item makes a difference. */
  boolean matters(int item) {
    return isExpected(item) || compactionsByVersion[firstItemOfVersion[item]] > 0;
  }

  /** Whether an operation without a place expects that a version up to {@code upTo} is open. */
  boolean isOpen(long upTo) {
    return answered.before(upTo(upTo)) > 0;
  }

  /**
   * Whether an operation without a place expects that a version above {@code above}, up to {@code
   * upTo}, is closed.
   */
  boolean isClosed(long above, long upTo) {
    return cut.before(upTo(upTo)) - cut.before(upTo(above)) > 0;
  }
}
