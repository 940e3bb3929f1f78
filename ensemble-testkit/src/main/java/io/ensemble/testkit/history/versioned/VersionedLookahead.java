package io.ensemble.testkit.history.versioned;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.versioned.VersionedReading.Gap;
import io.ensemble.testkit.history.versioned.VersionedReading.Seen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What the operations that have no place yet want to find, so that a step after which one of them
 * cannot end as it did is not tried. A version that is there stays until it is compacted: so one
 * that an operation has missed is not added before it, and one that nobody misses may be added as
 * early as can be. Of operations whose end nobody knows only those are done that somebody wants.
 */
final class VersionedLookahead {

  /**
   * What one operation wants.
   *
   * @param gaps items that are not there yet
   * @param seen items of which one each is there
   * @param answered the rank of a version that had not been read as of; NONE for none
   * @param cut the rank of a version that had been; NONE for none
   */
  private record Wish(List<Gap> gaps, List<Seen> seen, int answered, int cut) {}

  private static final Wish NOTHING =
      new Wish(List.of(), List.of(), VersionedItems.NONE, VersionedItems.NONE);

  private final long[] ranked;
  private final Wish[] wishes;
  private final FenwickTree missed;
  private final int[] wanted;

  /** By compactions, of each version's first item. */
  private final int[] named;

  /** Of each item, the first one of its version. */
  private final int[] firsts;

  /** Of a compaction, the first item of the version that it names; NONE of others. */
  private final int[] naming;

  private final FenwickTree answered;
  private final FenwickTree cut;

  VersionedLookahead(List<HistoryOperation> operations, VersionedItems items) {
    ranked = ranked(operations, items);
    missed = new FenwickTree(items.size());
    wanted = new int[items.size()];
    named = new int[items.size() + 1];
    firsts = new int[items.size()];
    Arrays.setAll(firsts, item -> items.below(items.version(item)));
    naming = new int[operations.size()];
    answered = new FenwickTree(ranked.length);
    cut = new FenwickTree(ranked.length);
    List<HistoryOperation> compactions =
        operations.stream()
            .filter(operation -> VersionedOp.of(operation) == VersionedOp.COMPACT)
            .toList();
    boolean[] valueSeen = new boolean[items.size()];
    wishes = new Wish[operations.size()];
    for (int i = 0; i < wishes.length; i++) {
      HistoryOperation operation = operations.get(i);
      boolean known = operation.outcome() == HistoryOutcome.OK;
      naming[i] =
          VersionedOp.of(operation) == VersionedOp.COMPACT
              ? items.below(operation.in().longValue())
              : VersionedItems.NONE;
      wishes[i] = known ? wish(operation, items, lasting(operation, compactions, items)) : NOTHING;
      for (Seen seen : wishes[i].seen()) {
        if (seen.first() == seen.last() && seen.first() >= 0) {
          valueSeen[seen.first()] = true;
        }
      }
    }
    for (int i = 0; i < wishes.length; i++) {
      int item = items.ofOperation(i);
      if (wishes[i] == NOTHING && item >= 0 && valueSeen[item]) { // Unknown, but it was done.
        int rank = rank(items.version(item));
        wishes[i] = new Wish(List.of(), List.of(), rank, VersionedItems.NONE);
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

  /** How many of the ranked versions are at {@code version} or below. */
  private int upTo(long version) {
    int rank = rank(version);
    return rank >= 0 ? rank + 1 : -rank - 1;
  }

  /** The first item that cannot have been compacted before the operation returned. */
  private static int lasting(
      HistoryOperation operation, List<HistoryOperation> compactions, VersionedItems items) {
    long bound = Long.MIN_VALUE;
    for (HistoryOperation compaction : compactions) {
      if (compaction.callNanos() <= operation.lastNanos()) {
        bound = Math.max(bound, compaction.in().longValue());
      }
    }
    return items.below(bound);
  }

  private Wish wish(HistoryOperation operation, VersionedItems items, int lasting) {
    int none = VersionedItems.NONE;
    VersionedReading reading = VersionedReading.of(operation, items);
    if (reading != null) {
      return new Wish(reading.gaps(lasting, items.size()), reading.seen(), none, none);
    }
    if (VersionedOp.of(operation) == VersionedOp.ADD_VERSION) {
      long version = operation.out().longValue();
      Gap above = new Gap(items.upTo(version), items.size());
      return new Wish(List.of(above), List.of(), rank(version), none);
    }
    if (VersionedOp.of(operation) != VersionedOp.PUT_VERSION) {
      return NOTHING;
    }
    long version = operation.in().get(0).longValue();
    Seen there = new Seen(items.below(version), items.upTo(version) - 1);
    return switch (operation.out().textValue()) {
      case VersionedOp.BELOW_CUT -> new Wish(List.of(), List.of(), none, rank(version));
      case VersionedOp.EXISTS -> new Wish(List.of(), List.of(there), rank(version), none);
      case VersionedOp.NOT_ABOVE -> NOTHING;
      default -> new Wish(List.of(), List.of(), rank(version), none);
    };
  }

  /** Counts an operation in, or out when it has got its place. */
  void count(int operation, int amount) {
    Wish wish = wishes[operation];
    if (naming[operation] >= 0) {
      named[naming[operation]] += amount;
    }
    for (Gap gap : wish.gaps()) {
      missed.add(gap.from(), amount);
      missed.add(gap.to(), -amount);
    }
    for (Seen seen : wish.seen()) {
      for (int item = Math.max(0, seen.first()); item <= seen.last(); item++) {
        wanted[item] += amount;
      }
    }
    if (wish.answered() >= 0) {
      answered.add(wish.answered(), amount);
    }
    if (wish.cut() >= 0) {
      cut.add(wish.cut(), amount);
    }
  }

  /** Whether somebody is still to find that the item has never been there. */
  boolean isMissed(int item) {
    return missed.before(item + 1) > 0;
  }

  /** Whether somebody is still to find the item. */
  boolean isWanted(int item) {
    return wanted[item] > 0;
  }

  /** Whether it makes a difference that the item is there. */
  boolean matters(int item) {
    return isWanted(item) || named[firsts[item]] > 0;
  }

  /** Whether somebody is still to be answered about a version up to that one as if it were open. */
  boolean isOpen(long upTo) {
    return answered.before(upTo(upTo)) > 0;
  }

  /** Whether somebody is still to be told that a version above one, up to another, is closed. */
  boolean isClosed(long above, long upTo) {
    return cut.before(upTo(upTo)) - cut.before(upTo(above)) > 0;
  }
}
