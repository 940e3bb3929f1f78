package io.ensemble.benchmarks.versions;

import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.testkit.trace.TraceRead;
import io.ensemble.testkit.trace.TraceReader;
import io.ensemble.testkit.trace.TraceSink;
import io.ensemble.testkit.trace.TraceVersion;
import io.ensemble.versioning.Versioned;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The histories of a trace, in memory.
 *
 * @param name the name of the trace
 * @param keys the keys with their versions
 * @param reads the reads of the trace, in their order; empty if it has versions only
 * @param leftOut the number of keys left out because not every index supports them
 */
record TraceHistories(String name, List<KeyHistory> keys, List<TraceRead> reads, int leftOut) {

  /** An entry has at most 1 MiB, a part of which is for other data than the values. */
  private static final long BASELINE_BEARS = 900 << 10;

  private static final int VERSION_BYTES = 32;

  TraceHistories {
    keys = List.copyOf(keys);
    reads = List.copyOf(reads);
  }

  /** The histories of a file. */
  static TraceHistories read(Path file) {
    try (TraceReader reader = TraceReader.open(file)) {
      return collected(String.valueOf(file.getFileName()), reader::all);
    } catch (IOException e) {
      throw new UncheckedIOException("a trace cannot be read; file=" + file, e);
    }
  }

  /** Synthetic histories. */
  static TraceHistories of(String name, SyntheticTrace trace) {
    try {
      return collected(name, trace::all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface HistorySource {
    void all(TraceSink sink) throws IOException;
  }

  private static TraceHistories collected(String name, HistorySource source) throws IOException {
    Map<String, List<Versioned<Long, byte[]>>> keys = new LinkedHashMap<>();
    List<TraceRead> reads = new ArrayList<>();
    source.all(
        new TraceSink() {
          @Override
          public void take(TraceVersion next) {
            keys.computeIfAbsent(next.key(), k -> new ArrayList<>()).add(of(next));
          }

          @Override
          public void read(TraceRead read) {
            reads.add(read);
          }
        });
    List<KeyHistory> all = new ArrayList<>();
    keys.forEach((key, versions) -> all.add(new KeyHistory(key, versions)));
    return new TraceHistories(name, all, reads, 0);
  }

  private static Versioned<Long, byte[]> of(TraceVersion next) {
    return new Versioned<>(next.version(), next.value());
  }

  /**
   * Leaves out the keys that are too large for {@code BASELINE}, so that all indexes have the same
   * keys.
   */
  TraceHistories withoutLargeKeys() {
    List<KeyHistory> left =
        keys.stream()
            .filter(
                k ->
                    k.payloadBytes() + (long) VERSION_BYTES * k.versions().size() <= BASELINE_BEARS)
            .toList();
    return new TraceHistories(name, left, reads, keys.size() - left.size());
  }

  /** One of several parts of about the same shape: every {@code of}-th key. */
  TraceHistories part(int number, int of) {
    return new TraceHistories(
        name,
        IntStream.range(0, keys.size()).filter(i -> i % of == number).mapToObj(keys::get).toList(),
        reads,
        leftOut);
  }

  long versions() {
    return keys.stream().mapToLong(k -> k.versions().size()).sum();
  }

  long payloadBytes() {
    return keys.stream().mapToLong(KeyHistory::payloadBytes).sum();
  }
}
