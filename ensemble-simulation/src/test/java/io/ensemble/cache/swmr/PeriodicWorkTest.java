package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Periodic work continues after one run has failed, even by an error. */
class PeriodicWorkTest extends WriterLeaseFixture {

  private static final Duration AGE = Duration.ofSeconds(1);

  private int breaks;
  private int walks;

  private void breakIfTold() {
    if (breaks > 0) {
      breaks--;
      throw new AssertionError("told to break");
    }
  }

  @Override
  CompletionStage<Boolean> recover(Term term) {
    breakIfTold();
    return super.recover(term);
  }

  @Test
  void aWriterWhoseRenewalBreaksBeatsOn() {
    acquireLease();
    Term before = register.term();
    register.between =
        () -> {
          register.between = null;
          throw new AssertionError("told to break");
        };

    pass(10 * LEASES.renewalNanos());

    assertThat(register.term().epoch()).isEqualTo(before.epoch());
    assertThat(register.term().beat() - before.beat()).isGreaterThan(5);
  }

  @Test
  void keysAreRecoveredThoughTheirRecoveryBrokeAndTheWriterBeatsMeanwhile() {
    breaks = 3;
    acquireLease();
    Term before = register.term();

    pass(LEASES.outwaitNanos() + 10 * LEASES.renewalNanos());

    assertThat(breaks).isZero();
    assertThat(recoveries).hasSize(1);
    assertThat(register.term().beat() - before.beat()).isGreaterThan(7);
  }

  /** Counts sweeps: each sweep begins by looking up the store. */
  private final class Counted implements StoreHandle {
    private final String site;

    Counted(String site) {
      this.site = site;
    }

    @Override
    public String site() {
      return site;
    }

    @Override
    public Optional<SiteStore> current() {
      walks++;
      breakIfTold();
      return Optional.empty();
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.failedFuture(new IllegalStateException("away"));
    }
  }

  @Test
  void aWriterWhoseSweepBreaksSweepsAgain() {
    EngineContext swept =
        new EngineContext(
            CacheDefinition.of("c", Mode.SWMR)
                .sites("a", "b", "c")
                .tombstoneGrace(Duration.ZERO)
                .build(),
            Stream.of("a", "b", "c").<StoreHandle>map(Counted::new).toList(),
            Optional.empty(),
            scheduler,
            new HybridClock(scheduler::epochMicros),
            SELF,
            CacheMetrics.NONE);
    TermRecord ofSwept = new TermRecord(register, SwmrKeyLayout.RECORD, swept, LEASES);
    register.put(Term.first("a", SELF));
    CopySweeper sweeper =
        new CopySweeper(swept, ofSwept, new PerKeyQueue(scheduler), register, AGE);
    sweeper.start();
    breaks = 2;

    for (int i = 0; i < 100; i++) {
      ofSwept.readLatest();
      pass(LEASES.renewalNanos());
    }

    assertThat(breaks).isZero();
    assertThat(walks).as("sweeps in ten seconds").isGreaterThan(10);
    sweeper.close();
  }
}
