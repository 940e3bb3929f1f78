package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.PrimaryTerm;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three processes, each of which is cut off from a different one of three sites. Whichever site is
 * the primary, one process cannot reach it, and has a majority to move it.
 */
@Execution(ExecutionMode.CONCURRENT)
class ThreeWayCutTest {

  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 60 : 6;

  /** The lease of {@code OpenSwmrCache}. */
  private static final Duration LEASE = Duration.ofSeconds(2);

  private static final int LEASES = 100;
  private static final Duration PAUSE = Duration.ofMillis(150);
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private static final class Trial {

    final SimFederation federation;
    final SwmrSimCache scene;
    final List<SimClient> clients = new ArrayList<>();
    final List<OpenSwmrCache> caches = new ArrayList<>();
    private int value;
    private int reads;
    private boolean stopped;

    Trial(long seed) {
      federation = SimFederation.builder().clients(0).seed(seed).build();
      scene = new SwmrSimCache(federation);
      for (int i = 0; i < 3; i++) {
        clients.add(federation.newClient());
        caches.add(scene.open(clients.get(i)));
      }
    }

    private Deadline soon(int process) {
      return Deadline.after(PATIENCE, clients.get(process).scheduler());
    }

    /** The first process writes and the others read, repeatedly. */
    void work(int process) {
      OpenSwmrCache cache = caches.get(process);
      CompletionStage<?> call =
          process == 0
              ? cache.write(
                  HistoryPayloads.key("k"), HistoryPayloads.payload(++value), soon(process))
              : cache.read(HistoryPayloads.key("k"), soon(process));
      call.whenComplete(
          (done, failure) -> {
            reads += failure == null && process > 0 ? 1 : 0;
            if (!stopped) {
              clients.get(process).scheduler().after(PAUSE.toNanos(), () -> work(process));
            }
          });
    }

    PrimaryTerm term() {
      return scene.get(
          caches.get(0).term(Deadline.after(Duration.ofSeconds(20), clients.get(0).scheduler())));
    }

    void cut(boolean begins) {
      for (int i = 0; i < 3; i++) {
        String client = clients.get(i).name();
        String site = federation.siteNames().get((i + 2) % 3);
        federation.inject(
            begins ? new Fault.Cut(client, site, true, true) : new Fault.Heal(client, site));
      }
    }
  }

  @Test
  void thePrimaryIsNotSentAroundAndStillReplacedWhenItDies() {
    int most = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Trial trial = new Trial(seed);
      for (int process = 0; process < 3; process++) {
        trial.work(process);
      }
      trial.federation.run(Duration.ofSeconds(10));
      long before = trial.term().epoch();

      trial.cut(true);
      trial.federation.run(LEASE.multipliedBy(LEASES));
      long terms = trial.term().epoch() - before;
      trial.cut(false);
      trial.federation.run(Duration.ofSeconds(10));

      most = Math.max(most, (int) terms);
      assertThat(terms)
          .as("each process moves the primary now and then; seed=%d", seed)
          .isBetween(2L, LEASES / 7L + 2); // eight leases, less the time between two probes
      assertThat(trial.reads).as("seed=%d", seed).isGreaterThan(2 * LEASES);

      PrimaryTerm whole = trial.term();
      trial.federation.inject(new Fault.SiteDown(whole.primary(), LostState.REQUESTS));
      int served = trial.reads;
      trial.federation.run(() -> trial.reads > served + 20, LEASE.multipliedBy(5));
      assertThat(trial.reads).as("replaced in time; seed=%d", seed).isGreaterThan(served + 20);
      assertThat(trial.term().primary()).isNotEqualTo(whole.primary());
      trial.stopped = true;
    }
    System.out.printf("three-way cuts: at most %d terms in %d leases%n", most, LEASES);
  }
}
