package io.ensemble.benchmarks.versions;

import io.ensemble.testkit.trace.TraceRead;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Chooses the reads of a replay. Thread-safe. */
@FunctionalInterface
interface ReadChooser {

  /** A key that is read, and what is read of it. */
  record ChosenRead(KeyHistory history, TraceRead.Kind kind) {}

  /** The next read. */
  ChosenRead next(SplittableRandom random);

  /** Keys in proportion to their number of versions, and kinds in the shares of the paper. */
  static ReadChooser weighted(TraceHistories histories, double oldShare, double historyShare) {
    TreeMap<Long, KeyHistory> byWeight = new TreeMap<>();
    long before = 0;
    for (KeyHistory key : histories.keys()) {
      byWeight.put(before, key);
      before += key.versions().size();
    }
    long versions = before;
    return random -> {
      KeyHistory history = byWeight.floorEntry(random.nextLong(versions)).getValue();
      double choice = random.nextDouble();
      if (choice < historyShare) {
        return new ChosenRead(history, TraceRead.Kind.HISTORY);
      }
      return new ChosenRead(
          history, choice < historyShare + oldShare ? TraceRead.Kind.OLD : TraceRead.Kind.LATEST);
    };
  }

  /**
   * The reads of the trace in their order, shared by all clients; after the last one the first one
   * again. Reads of keys that were left out are left out, too.
   *
   * @throws IllegalArgumentException if the trace has no read of any key
   */
  static ReadChooser traced(TraceHistories histories) {
    Map<String, KeyHistory> keys = new HashMap<>();
    histories.keys().forEach(key -> keys.put(key.key(), key));
    List<TraceRead> reads =
        histories.reads().stream().filter(read -> keys.containsKey(read.key())).toList();
    if (reads.isEmpty()) {
      throw new IllegalArgumentException(
          "the trace must have reads, as those of './ensemble trace wikibench' do; trace="
              + histories.name());
    }
    AtomicLong next = new AtomicLong();
    return random -> {
      TraceRead read = reads.get((int) (next.getAndIncrement() % reads.size()));
      return new ChosenRead(Objects.requireNonNull(keys.get(read.key())), read.kind());
    };
  }
}
