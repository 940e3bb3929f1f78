package io.ensemble.benchmarks.store;

import io.ensemble.benchmarks.store.RecordStore.Entry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Supplier;

/** Finds the smallest keys of an unordered iteration. Not thread-safe. */
final class SmallestKeys {

  private final String start;
  private final int count;
  private final PriorityQueue<Entry> largestFirst =
      new PriorityQueue<>(Comparator.comparing(Entry::key).reversed());
  private final Set<String> kept = new HashSet<>();

  SmallestKeys(String start, int count) {
    this.start = start;
    this.count = count;
  }

  /**
   * Adds a key, for the first time or again.
   *
   * @param value called only if the key is kept
   */
  void offer(String key, Supplier<byte[]> value) {
    if (count < 1 || key.compareTo(start) < 0 || kept.contains(key)) {
      return;
    }
    if (kept.size() == count) {
      Entry largest = largestFirst.element();
      if (key.compareTo(largest.key()) > 0) {
        return;
      }
      largestFirst.remove();
      kept.remove(largest.key());
    }
    largestFirst.add(new Entry(key, value.get()));
    kept.add(key);
  }

  /** The kept keys, in order. */
  List<Entry> inOrder() {
    List<Entry> entries = new ArrayList<>(largestFirst);
    entries.sort(Comparator.comparing(Entry::key));
    return entries;
  }
}
