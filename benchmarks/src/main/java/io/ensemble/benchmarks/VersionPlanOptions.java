package io.ensemble.benchmarks;

import io.ensemble.benchmarks.versions.VersionPlan;
import io.ensemble.testkit.trace.SyntheticTrace;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for measurements of versioned caches. */
final class VersionPlanOptions {

  @Option(
      names = "--trace",
      split = ",",
      paramLabel = "FILE",
      description = "Traces to load, created by './ensemble trace'; default: a synthetic trace.")
  private List<Path> traces = List.of();

  @Option(
      names = "--trace-keys",
      defaultValue = "1000",
      description = "Keys of the synthetic trace; ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--trace-seed",
      defaultValue = "1",
      description = "Seed of the synthetic trace; ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--trace-reads",
      description =
          "version-replay makes the reads of the traces (of './ensemble trace wikibench') in their "
              + "order; otherwise it chooses reads itself.")
  private boolean tracedReads;

  @Option(
      names = "--version-clients",
      split = ",",
      defaultValue = "1,16",
      description = "Concurrent clients of a versioned cache, or of etcd; ${DEFAULT-VALUE}.")
  private List<Integer> clients = List.of();

  @Option(
      names = "--version-counts",
      split = ",",
      defaultValue = "1000,10000,100000",
      description = "Versions of the key of version-sizes; ${DEFAULT-VALUE}.")
  private List<Integer> counts = List.of();

  @Option(
      names = "--samples",
      defaultValue = "100",
      description = "Repetitions of each operation in version-sizes; ${DEFAULT-VALUE}.")
  private int samples;

  @Option(
      names = "--etcd",
      paramLabel = "PATH",
      defaultValue = "/usr/bin/etcd",
      description = "Executable of etcd, where it is a rival; ${DEFAULT-VALUE}.")
  private Path etcd = Path.of("etcd");

  @Option(
      names = "--raw",
      paramLabel = "DIR",
      description = "Directory for latency distributions of versioned caches.")
  private @Nullable Path raw;

  VersionPlan plan() {
    return new VersionPlan(
        traces, SyntheticTrace.of(keys, seed), tracedReads, clients, counts, samples, etcd, raw);
  }
}
