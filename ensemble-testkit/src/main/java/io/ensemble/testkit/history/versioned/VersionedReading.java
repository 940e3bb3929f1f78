package io.ensemble.testkit.history.versioned;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a key that an operation has looked for, and those that it saw.
 *
 * @param from the first item of the range
 * @param to the first item after the range
 * @param limit the maximum number of versions requested
 * @param descending whether the largest versions come first
 * @param seen the versions seen, in the order of the result
 */
record VersionedReading(int from, int to, int limit, boolean descending, List<SeenVersion> seen) {

  /**
   * A version that was seen.
   *
   * @param first the first item that may have the version; the only one if its value was seen too
   * @param last the last such item
   */
  record SeenVersion(int first, int last) {}

  /**
   * The reading of a completed operation.
   *
   * @return null for an operation that reads nothing, or was refused
   */
  static @Nullable VersionedReading of(HistoryOperation operation, VersionedItems items) {
    JsonNode in = operation.in();
    int all = items.size();
    int one = 1;
    return switch (VersionedOp.of(operation)) {
      case ADD_VERSION, PUT_VERSION, COMPACT -> null;
      case LATEST -> of(operation, items, 0, all, one, true);
      case GET_VERSION ->
          operation.out().isTextual() && operation.out().textValue().equals(VersionedOp.COMPACTED)
              ? null
              : at(operation, items, in.longValue(), in.longValue(), one, false);
      case RANGE ->
          at(operation, items, in.get(0).longValue(), in.get(1).longValue(), all + 1, false);
      case PREDECESSOR -> of(operation, items, 0, items.below(in.longValue()), one, true);
      case SUCCESSOR -> of(operation, items, items.upTo(in.longValue()), all, one, false);
      case VERSIONS ->
          of(
              operation,
              items,
              in.get(0).isNull() ? 0 : items.below(in.get(0).longValue()),
              in.get(1).isNull() ? all : items.upTo(in.get(1).longValue()),
              in.get(2).intValue(),
              in.get(3).booleanValue());
      case AS_OF ->
          operation.out().isTextual()
              ? null
              : of(operation, items, 0, items.upTo(in.longValue()), one, true);
    };
  }

  private static VersionedReading at(
      HistoryOperation operation,
      VersionedItems items,
      long from,
      long to,
      int limit,
      boolean descending) {
    return of(operation, items, items.below(from), items.upTo(to), limit, descending);
  }

  private static VersionedReading of(
      HistoryOperation operation,
      VersionedItems items,
      int from,
      int to,
      int limit,
      boolean descending) {
    List<SeenVersion> seen = new ArrayList<>();
    for (JsonNode pair : pairs(operation)) {
      int item = items.of(pair.get(0).longValue(), pair.get(1));
      seen.add(new SeenVersion(item, item));
    }
    if (VersionedOp.of(operation) == VersionedOp.VERSIONS) {
      for (JsonNode version : operation.out()) {
        long there = version.longValue();
        seen.add(new SeenVersion(items.below(there), items.upTo(there) - 1));
      }
    }
    return new VersionedReading(from, Math.max(from, to), limit, descending, seen);
  }

  /** The versions with their values that an operation saw. */
  static List<JsonNode> pairs(HistoryOperation operation) {
    if (operation.outcome() != HistoryOutcome.OK) {
      return List.of();
    }
    JsonNode out = operation.out();
    return switch (VersionedOp.of(operation)) {
      case LATEST, GET_VERSION, PREDECESSOR, SUCCESSOR, AS_OF ->
          out.isArray() ? List.of(out) : List.of();
      case RANGE -> {
        List<JsonNode> pairs = new ArrayList<>();
        out.forEach(pairs::add);
        yield pairs;
      }
      default -> List.of();
    };
  }

  /** Whether this reading matches the state. */
  boolean fits(VersionedStates states, int state) {
    int at = descending ? to : from - 1;
    for (SeenVersion one : seen) {
      at = next(states, state, at);
      if (at == VersionedItems.NONE || at < one.first() || at > one.last()) {
        return false;
      }
    }
    return seen.size() == limit
        || (seen.size() < limit && next(states, state, at) == VersionedItems.NONE);
  }

  private int next(VersionedStates states, int state, int at) {
    int next = descending ? states.previous(state, at) : states.next(state, at + 1);
    return next >= from && next < to ? next : VersionedItems.NONE;
  }

  /** Adjacent items that were not there. */
  record ItemGap(int from, int to) {}

  /**
   * The items that were not there, and had never been.
   *
   * @param lasting the first item that cannot have been removed before
   */
  List<ItemGap> gaps(int lasting, int all) {
    if (limit == 0) {
      return List.of();
    }
    List<SeenVersion> rising = new ArrayList<>(seen);
    if (descending) {
      Collections.reverse(rising);
    }
    boolean whole = seen.size() < limit;
    List<ItemGap> gaps = new ArrayList<>();
    int at = from;
    for (int i = 0; i < rising.size(); i++) {
      // An item above one that is there was not removed before it.
      if (i > 0) {
        gaps.add(new ItemGap(at, rising.get(i).first()));
      } else if (whole || !descending) {
        gaps.add(new ItemGap(Math.max(at, lasting), rising.get(i).first()));
      }
      at = rising.get(i).last() + 1;
    }
    if (rising.isEmpty() && to < all) {
      gaps.add(new ItemGap(Math.max(at, lasting), to)); // The largest of all is never removed.
    } else if (whole || descending) {
      gaps.add(new ItemGap(at, to));
    }
    return gaps.stream().filter(gap -> gap.from() < gap.to()).toList();
  }
}
