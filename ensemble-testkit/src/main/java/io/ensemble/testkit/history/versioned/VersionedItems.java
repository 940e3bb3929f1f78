package io.ensemble.testkit.history.versioned;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * All versions with their values that a key may ever hold, numbered in the order of versions. An
 * addition of unknown outcome has the version under which its value was read. If its value was
 * never read, its version is one that a result names without value and that belongs to no other
 * addition.
 */
final class VersionedItems {
  /** The item of an operation that adds nothing, or whose addition is unknown. */
  static final int NONE = -1;

  /**
   * A version with its value.
   *
   * @param value null for the value of some addition of unknown outcome
   */
  private record VersionedItem(long version, @Nullable JsonNode value) {}

  private final List<VersionedItem> items;
  private final Map<VersionedItem, Integer> numbers = new HashMap<>();
  private final int[] ofOperation;

  VersionedItems(List<HistoryOperation> operations) {
    @Nullable VersionedItem[] added = new VersionedItem[operations.size()];
    Set<VersionedItem> all = new HashSet<>();
    for (int i = 0; i < added.length; i++) {
      added[i] = addedItem(operations.get(i));
      if (added[i] != null) {
        all.add(added[i]);
      }
    }
    boolean unseen = false;
    Map<JsonNode, Long> seen = versionsByValue(operations, all);
    for (int i = 0; i < added.length; i++) {
      HistoryOperation operation = operations.get(i);
      if (isUnknownAddition(operation)) {
        Long version = seen.get(operation.in());
        unseen |= version == null;
        added[i] = version == null ? null : new VersionedItem(version, operation.in());
        if (added[i] != null) {
          all.add(added[i]);
        }
      }
    }
    if (unseen) {
      Set<Long> named = namedVersions(operations);
      named.removeAll(certainVersions(operations, added));
      named.forEach(version -> all.add(new VersionedItem(version, null)));
    }
    items = new ArrayList<>(all);
    items.sort(
        Comparator.comparingLong(VersionedItem::version)
            .thenComparing(item -> String.valueOf(item.value())));
    for (int i = 0; i < items.size(); i++) {
      numbers.put(items.get(i), i);
    }
    ofOperation = new int[added.length];
    for (int i = 0; i < added.length; i++) {
      ofOperation[i] = added[i] == null ? NONE : Objects.requireNonNull(numbers.get(added[i]));
    }
  }

  /** Versions that were added by an operation of known outcome, or whose value was seen. */
  private static Set<Long> certainVersions(
      List<HistoryOperation> operations, @Nullable VersionedItem[] added) {
    Set<Long> certain = new HashSet<>();
    for (int i = 0; i < added.length; i++) {
      VersionedItem item = added[i];
      HistoryOperation operation = operations.get(i);
      if (item != null
          && (operation.outcome() == HistoryOutcome.OK || isUnknownAddition(operation))) {
        certain.add(item.version());
      }
    }
    return certain;
  }

  private static @Nullable VersionedItem addedItem(HistoryOperation operation) {
    boolean known = operation.outcome() == HistoryOutcome.OK;
    return switch (VersionedOp.of(operation)) {
      case ADD_VERSION ->
          known ? new VersionedItem(operation.out().longValue(), operation.in()) : null;
      case PUT_VERSION ->
          !known || operation.out().textValue().equals(VersionedOp.ADDED)
              ? new VersionedItem(operation.in().get(0).longValue(), operation.in().get(1))
              : null;
      default -> null;
    };
  }

  private static boolean isUnknownAddition(HistoryOperation operation) {
    return VersionedOp.of(operation) == VersionedOp.ADD_VERSION
        && operation.outcome() != HistoryOutcome.OK;
  }

  /**
   * By value, the version under which it was seen, for values that no operation of known outcome
   * has put under that version.
   */
  private static Map<JsonNode, Long> versionsByValue(
      List<HistoryOperation> operations, Set<VersionedItem> known) {
    Map<JsonNode, Long> seen = new LinkedHashMap<>();
    for (HistoryOperation operation : operations) {
      for (JsonNode pair : VersionedReading.pairs(operation)) {
        VersionedItem item = new VersionedItem(pair.get(0).longValue(), pair.get(1));
        if (!known.contains(item)) {
          seen.putIfAbsent(pair.get(1), item.version());
        }
      }
    }
    return seen;
  }

  /** Versions that results name without their values. */
  private static Set<Long> namedVersions(List<HistoryOperation> operations) {
    Set<Long> named = new TreeSet<>();
    for (HistoryOperation operation : operations) {
      if (operation.outcome() != HistoryOutcome.OK) {
        continue;
      }
      if (VersionedOp.of(operation) == VersionedOp.VERSIONS) {
        operation.out().forEach(version -> named.add(version.longValue()));
      } else if (VersionedOp.of(operation) == VersionedOp.PUT_VERSION
          && operation.out().textValue().equals(VersionedOp.EXISTS)) {
        named.add(operation.in().get(0).longValue());
      }
    }
    return named;
  }

  int size() {
    return items.size();
  }

  long version(int item) {
    return items.get(item).version();
  }

  /** Whether the item belongs to some addition of unknown outcome. */
  boolean isUnseen(int item) {
    return items.get(item).value() == null;
  }

  /** The item that an operation adds; {@link #NONE} if it adds nothing or the item is unknown. */
  int ofOperation(int operation) {
    return ofOperation[operation];
  }

  /** The number of a version with its value; {@link #NONE} if no operation can have written it. */
  int of(long version, JsonNode value) {
    return numbers.getOrDefault(new VersionedItem(version, value), NONE);
  }

  /**
   * The number of items below {@code version}, which is the number of the first item that is not
   * below.
   */
  int below(long version) {
    int low = 0;
    int high = items.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (items.get(middle).version() < version) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The number of items at {@code version} or below. */
  int upTo(long version) {
    return version == Long.MAX_VALUE ? items.size() : below(version + 1);
  }

  String describe(int item) {
    VersionedItem versionedItem = items.get(item);
    return versionedItem.version() + "=" + versionedItem.value();
  }
}
