package io.ensemble.benchmarks.versions;

import io.ensemble.testkit.trace.SyntheticTrace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan for measurements of versioned caches.
 *
 * @param traces files of histories, in addition to the synthetic ones
 * @param made the synthetic histories
 * @param tracedReads whether a replay makes the reads of the traces, instead of reads of its own
 * @param clients the numbers of concurrent clients, measured one after the other
 * @param counts the numbers of versions of one key, measured one after the other
 * @param samples the number of executions of each operation where operations are counted
 * @param etcd the program of etcd
 * @param raw the directory for distributions of latencies; null for none
 */
public record VersionPlan(
    List<Path> traces,
    SyntheticTrace made,
    boolean tracedReads,
    List<Integer> clients,
    List<Integer> counts,
    int samples,
    Path etcd,
    @Nullable Path raw) {

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public VersionPlan {
    traces = List.copyOf(traces);
    clients = List.copyOf(clients);
    counts = List.copyOf(counts);
    for (List<Integer> numbers : List.of(clients, counts)) {
      if (numbers.isEmpty() || numbers.stream().anyMatch(number -> number < 1)) {
        throw new IllegalArgumentException("counts must be 1 or more; got " + numbers);
      }
    }
    if (samples < 1) {
      throw new IllegalArgumentException("number of samples must be 1 or more; got " + samples);
    }
  }

  int mostClients() {
    return clients.stream().mapToInt(Integer::intValue).max().orElseThrow();
  }

  /** All histories: of the files, or the synthetic ones if no file is named. */
  List<TraceHistories> histories() {
    List<TraceHistories> all = new ArrayList<>();
    traces.forEach(file -> all.add(TraceHistories.read(file)));
    if (all.isEmpty()) {
      all.add(TraceHistories.of("synthetic", made));
    }
    return all;
  }
}
