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
      description = "Traces to load, as './ensemble trace' makes them; else one is made up.")
  private List<Path> traces = List.of();

  @Option(
      names = "--trace-keys",
      defaultValue = "1000",
      description = "Keys of the one that is made up; ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--trace-seed",
      defaultValue = "1",
      description = "Of the one that is made up; ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--version-clients",
      split = ",",
      defaultValue = "1,16",
      description = "How many use a versioned cache, or etcd, at once; ${DEFAULT-VALUE}.")
  private List<Integer> clients = List.of();

  @Option(
      names = "--version-counts",
      split = ",",
      defaultValue = "1000,10000,100000",
      description = "How many versions the key of version-sizes has; ${DEFAULT-VALUE}.")
  private List<Integer> counts = List.of();

  @Option(
      names = "--samples",
      defaultValue = "100",
      description = "How often version-sizes makes each operation; ${DEFAULT-VALUE}.")
  private int samples;

  @Option(
      names = "--etcd",
      paramLabel = "PATH",
      defaultValue = "/usr/bin/etcd",
      description = "The program of version-etcd; ${DEFAULT-VALUE}.")
  private Path etcd = Path.of("etcd");

  @Option(
      names = "--raw",
      paramLabel = "DIR",
      description = "Where distributions of latencies of versioned caches go.")
  private @Nullable Path raw;

  VersionPlan plan() {
    return new VersionPlan(
        traces, SyntheticTrace.of(keys, seed), clients, counts, samples, etcd, raw);
  }
}
