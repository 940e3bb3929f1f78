package io.ensemble.benchmarks.versions;

import io.ensemble.testkit.trace.SyntheticTrace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to measure versioned caches.
 *
 * @param traces files of histories, beside the one that is made up
 * @param made the histories that are made up
 * @param clients how many work at once, one after the other
 * @param counts how many versions one key has, one after the other
 * @param samples how often each operation is made where operations are counted
 * @param etcd the program
 * @param raw where distributions of latencies are written; null for nowhere
 */
public record VersionPlan(
    List<Path> traces,
    SyntheticTrace made,
    List<Integer> clients,
    List<Integer> counts,
    int samples,
    Path etcd,
    @Nullable Path raw) {

  /**
   * @throws IllegalArgumentException naming what is wrong
   */
  public VersionPlan {
    traces = List.copyOf(traces);
    clients = List.copyOf(clients);
    counts = List.copyOf(counts);
    for (List<Integer> numbers : List.of(clients, counts)) {
      if (numbers.isEmpty() || numbers.stream().anyMatch(number -> number < 1)) {
        throw new IllegalArgumentException("counts of 1 and more are wanted; got " + numbers);
      }
    }
    if (samples < 1) {
      throw new IllegalArgumentException("a sample at least is wanted; got " + samples);
    }
  }

  int mostClients() {
    return clients.stream().mapToInt(Integer::intValue).max().orElseThrow();
  }

  /** All histories: of the files, or where none is named those that are made up. */
  List<TraceHistories> histories() {
    List<TraceHistories> all = new ArrayList<>();
    traces.forEach(file -> all.add(TraceHistories.read(file)));
    if (all.isEmpty()) {
      all.add(TraceHistories.of("synthetic", made));
    }
    return all;
  }
}
