package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The writer lease of one process, over a record that answers immediately. */
abstract class WriterLeaseFixture {

  static final TermLeaseRules LEASES = new TermLeaseRules(300_000_000, 10_000_000);
  static final WriterId SELF = new WriterId(1, 2);
  static final WriterId OTHER = new WriterId(3, 4);

  final SimScheduler scheduler = SimScheduler.ofSeed(5);
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final TermRegister register = new TermRegister(Term.first("a", WriterId.NONE));
  final EngineContext cache =
      new EngineContext(
          CacheDefinition.of("c", Mode.SWMR).sites("a", "b", "c").build(),
          Stream.of("a", "b", "c").<StoreHandle>map(Unsent::new).toList(),
          Optional.empty(),
          scheduler,
          new HybridClock(scheduler::epochMicros),
          SELF,
          CacheMetrics.of(meters, "c", Mode.SWMR));
  final TermRecord terms = new TermRecord(register, SwmrKeyLayout.RECORD, cache, LEASES);
  final List<Term> recoveries = new ArrayList<>();
  final List<CompletableFuture<Boolean>> recovered = new ArrayList<>();
  final WriterLease tenancy = new WriterLease(cache, terms, LEASES, false, this::recover);

  /** A handle without an open store. Requests are not sent, so they say nothing about the site. */
  record Unsent(String site) implements StoreHandle {

    @Override
    public Optional<SiteStore> current() {
      return Optional.empty();
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.failedFuture(SiteException.notSent(site, Reason.BUSY, "full"));
    }
  }

  CompletionStage<Boolean> recover(Term term) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    recoveries.add(term);
    recovered.add(end);
    return end;
  }

  void pass(long nanos) {
    scheduler.after(nanos, () -> {}); // The clock advances only from task to task.
    scheduler.run(Duration.ofNanos(nanos), 100_000);
  }

  static <T> T got(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    return stage.toCompletableFuture().join();
  }

  Optional<LeasedTerm> findLeasedTerm() {
    return got(tenancy.findLeasedTerm());
  }

  /** Requests the writer's term once, as a write does. */
  Optional<LeasedTerm> acquireLease() {
    return got(tenancy.acquireLease());
  }

  void beatsOfAnother(long nanos) {
    for (long passed = 0; passed < nanos; passed += LEASES.renewalNanos()) {
      pass(LEASES.renewalNanos());
      register.put(register.term().beaten());
    }
  }
}
