package io.ensemble.simulation.mwmr;

import io.ensemble.listen.MergerBug;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.listen.ListenWorkload;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Several processes write a few keys of one MWMR cache under faults. A listener follows, and is
 * restarted from its position in another process now and then. In a third of the runs, sites are
 * wiped and refilled one after the other.
 */
final class MwmrListenWorkload {

  private static final Duration FAULTY = Duration.ofSeconds(6);

  private final SimFederation federation;
  private final ListenWorkload workload;
  private final MwmrOperator operator;

  MwmrListenWorkload(int siteCount, long seed, MergerBug bug) {
    SplittableRandom shape = new SplittableRandom(seed);
    List<String> sites = IntStream.range(0, siteCount).mapToObj(i -> "s" + i).toList();
    int processes = 2 + shape.nextInt(2);
    int keys = 1 + shape.nextInt(4);
    boolean isRecovering = siteCount > 2 && shape.nextInt(3) == 0;
    double each = new double[] {0, 0.01, 0.05, 0.1}[shape.nextInt(4)];
    MessageFaults chances = MessageFaults.lossy(each).withDenied(shape.nextDouble() * 0.2);
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(!isRecovering && shape.nextBoolean())
            .withChances(chances)
            .withEpisodes(shape.nextInt(20))
            .withClientCrashes(0);
    List<String> clients = IntStream.rangeClosed(0, processes).mapToObj(i -> "c" + i).toList();
    federation =
        SimFederation.builder()
            .sites(sites.toArray(String[]::new))
            .clients(processes + 1)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 50_000)
            .plan(SimFaultPlan.random(seed, sites, clients, FAULTY, faults))
            .build();
    MwmrSimCache cache =
        new MwmrSimCache(federation, Duration.ofSeconds(1), Duration.ofMinutes(10));
    SplittableRandom random = shape.split();
    int users = 1 + shape.nextInt(3);
    long gapNanos = shape.nextBoolean() ? 20_000_000 : 200_000_000;
    workload =
        new ListenWorkload(
            federation,
            client -> cache.open(client).engine(),
            random,
            bug,
            new ListenWorkload.Shape(
                keys, processes, users, 180, gapNanos, shape.nextBoolean(), true, true, true));
    operator =
        new MwmrOperator(
            cache, cache.open(federation.newClient()), RefillBug.NONE, isRecovering ? 2 : 0);
    operator.start();
  }

  ListenWorkload run() {
    federation.run(() -> workload.isFinished() && operator.isFinished(), Duration.ofMinutes(10));
    federation.run(FAULTY);
    federation.inject(new Fault.Change(MessageFaults.reliable()));
    workload.end();
    return workload;
  }

  /** How many wiped sites were refilled. */
  int recovered() {
    return operator.recovered();
  }
}
