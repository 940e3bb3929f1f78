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
 * All that may ever stand under a key: versions with their values, numbered in the versions' order.
 * Which version an addition was given that nobody knows the end of shows in what was read of its
 * value; where nothing was, in versions that are told without their values, and are no other's.
 */
final class VersionedItems {
  /** Of an operation that adds nothing, or of which nobody knows what. */
  static final int NONE = -1;

  /**
   * A version with its value.
   *
   * @param value null for that of some addition that nobody knows the end of
   */
  private record Item(long version, @Nullable JsonNode value) {}

  private final List<Item> items;
  private final Map<Item, Integer> numbers = new HashMap<>();
  private final int[] ofOperation;

  VersionedItems(List<HistoryOperation> operations) {
    @Nullable Item[] added = new Item[operations.size()];
    Set<Item> all = new HashSet<>();
    for (int i = 0; i < added.length; i++) {
      added[i] = added(operations.get(i));
      if (added[i] != null) {
        all.add(added[i]);
      }
    }
    boolean unseen = false;
    Map<JsonNode, Long> seen = seen(operations, all);
    for (int i = 0; i < added.length; i++) {
      HistoryOperation operation = operations.get(i);
      if (isUnknownAddition(operation)) {
        Long version = seen.get(operation.in());
        unseen |= version == null;
        added[i] = version == null ? null : new Item(version, operation.in());
        if (added[i] != null) {
          all.add(added[i]);
        }
      }
    }
    if (unseen) {
      Set<Long> told = told(operations);
      told.removeAll(certain(operations, added));
      told.forEach(version -> all.add(new Item(version, null)));
    }
    items = new ArrayList<>(all);
    items.sort(
        Comparator.comparingLong(Item::version)
            .thenComparing(item -> String.valueOf(item.value())));
    for (int i = 0; i < items.size(); i++) {
      numbers.put(items.get(i), i);
    }
    ofOperation = new int[added.length];
    for (int i = 0; i < added.length; i++) {
      ofOperation[i] = added[i] == null ? NONE : Objects.requireNonNull(numbers.get(added[i]));
    }
  }

  /** Versions that were added by an operation that is known, or whose value was seen. */
  private static Set<Long> certain(List<HistoryOperation> operations, @Nullable Item[] added) {
    Set<Long> certain = new HashSet<>();
    for (int i = 0; i < added.length; i++) {
      Item item = added[i];
      HistoryOperation operation = operations.get(i);
      if (item != null
          && (operation.outcome() == HistoryOutcome.OK || isUnknownAddition(operation))) {
        certain.add(item.version());
      }
    }
    return certain;
  }

  private static @Nullable Item added(HistoryOperation operation) {
    boolean known = operation.outcome() == HistoryOutcome.OK;
    return switch (VersionedOp.of(operation)) {
      case ADD_VERSION -> known ? new Item(operation.out().longValue(), operation.in()) : null;
      case PUT_VERSION ->
          !known || operation.out().textValue().equals(VersionedOp.ADDED)
              ? new Item(operation.in().get(0).longValue(), operation.in().get(1))
              : null;
      default -> null;
    };
  }

  private static boolean isUnknownAddition(HistoryOperation operation) {
    return VersionedOp.of(operation) == VersionedOp.ADD_VERSION
        && operation.outcome() != HistoryOutcome.OK;
  }

  /** Of values that no known operation has put under that version, the version. */
  private static Map<JsonNode, Long> seen(List<HistoryOperation> operations, Set<Item> known) {
    Map<JsonNode, Long> seen = new LinkedHashMap<>();
    for (HistoryOperation operation : operations) {
      for (JsonNode pair : VersionedReading.pairs(operation)) {
        Item item = new Item(pair.get(0).longValue(), pair.get(1));
        if (!known.contains(item)) {
          seen.putIfAbsent(pair.get(1), item.version());
        }
      }
    }
    return seen;
  }

  /** Versions that are told without their values. */
  private static Set<Long> told(List<HistoryOperation> operations) {
    Set<Long> told = new TreeSet<>();
    for (HistoryOperation operation : operations) {
      if (operation.outcome() != HistoryOutcome.OK) {
        continue;
      }
      if (VersionedOp.of(operation) == VersionedOp.VERSIONS) {
        operation.out().forEach(version -> told.add(version.longValue()));
      } else if (VersionedOp.of(operation) == VersionedOp.PUT_VERSION
          && operation.out().textValue().equals(VersionedOp.EXISTS)) {
        told.add(operation.in().get(0).longValue());
      }
    }
    return told;
  }

  int size() {
    return items.size();
  }

  long version(int item) {
    return items.get(item).version();
  }

  /** Whether it is of some addition of which nobody knows the end. */
  boolean isUnseen(int item) {
    return items.get(item).value() == null;
  }

  /** What an operation adds; {@link #NONE} for nothing, or nobody knows what. */
  int ofOperation(int operation) {
    return ofOperation[operation];
  }

  /** The number of a version with its value; {@link #NONE} if nobody can have written it. */
  int of(long version, JsonNode value) {
    return numbers.getOrDefault(new Item(version, value), NONE);
  }

  /** How many items are below {@code version}: the number of the first that is not. */
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

  /** How many items are at {@code version} or below. */
  int upTo(long version) {
    return version == Long.MAX_VALUE ? items.size() : below(version + 1);
  }

  String words(int item) {
    Item it = items.get(item);
    return it.version() + "=" + it.value();
  }
}
