package io.ensemble.benchmarks.measure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Several approaches at the same sites, each with all keys loaded, ready for contests. */
final class Arena implements AutoCloseable {

  static final int VALUE_BYTES = 1_000;

  private static final int LOADERS = 64;

  private final Effort effort;
  private final FederationProcess federation;
  private final Map<Approach, Subject> subjects = new LinkedHashMap<>();
  private final byte[] value = new byte[VALUE_BYTES];

  Arena(
      Effort effort, FederationProcess federation, List<Approach> approaches, List<String> sites) {
    this.effort = effort;
    this.federation = federation;
    new SplittableRandom(1).nextBytes(value);
    try {
      for (Approach approach : approaches) {
        effort.say("loading %,d keys at %s: %s", effort.records(), sites, approach);
        Subject subject = approach.open(federation, sites);
        subjects.put(approach, subject);
        Loading.load(effort, LOADERS, i -> subject.write(Workload.key(i), value));
        subject.settle();
      }
    } catch (RuntimeException failed) {
      close();
      throw failed;
    }
  }

  List<Approach> approaches() {
    return List.copyOf(subjects.keySet());
  }

  /** All of them in turns; bytes on the lines are counted. */
  Contest.Standings contest(Workload workload, int threads) {
    effort.say("workload %s, %d in flight", workload.name(), threads);
    List<Contender> contenders = new ArrayList<>();
    subjects.forEach(
        (approach, subject) ->
            contenders.add(approach.contender(subject, workload, effort.records(), value)));
    return effort.contest(threads).run(contenders, () -> Bound.meter(federation.traffic()));
  }

  @Override
  public void close() {
    subjects.values().forEach(Subject::close);
  }
}
