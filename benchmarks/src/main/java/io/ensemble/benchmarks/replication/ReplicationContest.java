package io.ensemble.benchmarks.replication;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.Contender;
import io.ensemble.benchmarks.contest.Contest;
import io.ensemble.benchmarks.contest.KeyLoader;
import io.ensemble.benchmarks.contest.Workload;
import io.ensemble.benchmarks.federation.FederationProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Several schemes at the same sites, each with all keys loaded, ready for contests. */
public final class ReplicationContest implements AutoCloseable {

  public static final int VALUE_BYTES = 1_000;

  private static final int LOADERS = 64;

  private final BenchmarkOptions benchmarkOptions;
  private final FederationProcess federation;
  private final Map<ReplicationScheme, ReplicatedStore> subjects = new LinkedHashMap<>();
  private final byte[] value = new byte[VALUE_BYTES];

  ReplicationContest(
      BenchmarkOptions benchmarkOptions,
      FederationProcess federation,
      List<ReplicationScheme> approaches,
      List<String> sites) {
    this.benchmarkOptions = benchmarkOptions;
    this.federation = federation;
    new SplittableRandom(1).nextBytes(value);
    try {
      for (ReplicationScheme replicationScheme : approaches) {
        benchmarkOptions.say(
            "loading %,d keys at %s: %s", benchmarkOptions.records(), sites, replicationScheme);
        ReplicatedStore subject = replicationScheme.open(federation, sites);
        subjects.put(replicationScheme, subject);
        KeyLoader.load(benchmarkOptions, LOADERS, i -> subject.write(Workload.key(i), value));
        subject.settle();
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  List<ReplicationScheme> approaches() {
    return List.copyOf(subjects.keySet());
  }

  /** Measures all of them in turns; bytes on the links are counted. */
  Contest.ContestResults contest(Workload workload, int threads) {
    benchmarkOptions.say("workload %s, %d in flight", workload.name(), threads);
    List<Contender> contenders = new ArrayList<>();
    subjects.forEach(
        (replicationScheme, subject) ->
            contenders.add(
                replicationScheme.contender(subject, workload, benchmarkOptions.records(), value)));
    return benchmarkOptions
        .contest(threads)
        .run(contenders, () -> ThroughputBound.meter(federation.traffic()));
  }

  @Override
  public void close() {
    subjects.values().forEach(ReplicatedStore::close);
  }
}
