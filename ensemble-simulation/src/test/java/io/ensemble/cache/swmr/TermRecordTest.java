package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * What a process knows of terms, and how its reads fail. The test answers for the control register.
 */
class TermRecordTest {
  private static final TermLeaseRules LEASES = new TermLeaseRules(300_000_000, 10_000_000);
  private static final WriterId SELF = new WriterId(1, 2);
  private static final Term FIRST = Term.first("a", SELF);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Control control = new Control();
  private final TermRecord termRecord =
      new TermRecord(control, SwmrKeyLayout.RECORD, cache(), LEASES);

  private EngineContext cache() {
    return new EngineContext(
        CacheDefinition.of("c", Mode.SWMR).sites("a").build(),
        List.of(new NoStore()),
        Optional.empty(),
        scheduler,
        new HybridClock(scheduler::epochMicros),
        SELF,
        CacheMetrics.of(registry, "c", Mode.SWMR));
  }

  private double failures() {
    return registry.get("ensemble.lease.failures").tag("lease", "term").counter().count();
  }

  private record NoStore() implements StoreHandle {

    @Override
    public String site() {
      return "a";
    }

    @Override
    public Optional<SiteStore> current() {
      return Optional.empty();
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return new CompletableFuture<>();
    }
  }

  /** A control register that answers when and as the test requests. */
  private final class Control implements CacheEngine {
    final Deque<CompletableFuture<Optional<Payload>>> reads = new ArrayDeque<>();
    final Deque<Deadline> deadlines = new ArrayDeque<>();
    CompletionStage<? extends WriteOutcome<?>> written = new CompletableFuture<>();
    boolean gone;
    boolean throwing;

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      if (throwing) {
        throw new IllegalStateException("planted");
      }
      CompletableFuture<Optional<Payload>> answer = new CompletableFuture<>();
      reads.add(answer);
      deadlines.add(deadline);
      return answer;
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(Bytes key, Payload value, Deadline deadline) {
      throw new AssertionError("the record is changed by updates alone");
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      deadlines.add(deadline);
      if (gone) {
        return CompletableFuture.completedFuture(
            new WriteOutcome.Applied<>(update.decide(null).result(), Stamp.NONE, false));
      }
      return (CompletionStage<WriteOutcome<R>>) (CompletionStage<?>) written;
    }

    @Override
    public EntryScan scan(int batchSize) {
      throw new AssertionError("the record is one key");
    }

    @Override
    public void close() {}

    void show(Term term) {
      reads.remove().complete(Optional.of(TermCodec.encode(term)));
    }
  }

  private void pass(long nanos) {
    scheduler.after(nanos, () -> {}); // The clock advances only from task to task.
    scheduler.run(Duration.ofNanos(nanos), 1_000);
  }

  private static void assertFails(CompletionStage<?> stage, Class<? extends Throwable> type) {
    assertThatThrownBy(() -> stage.toCompletableFuture().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(type);
  }

  @Test
  void trustBeginsWhenItWasAskedForAndRunsOutWithTheLease() {
    CompletionStage<LeasedTerm> looked = termRecord.readLatest();
    pass(100_000_000);
    control.show(FIRST);
    LeasedTerm trust = looked.toCompletableFuture().join();

    pass(199_999_999);
    assertThat(termRecord.isLeaseValid(trust)).isTrue();
    pass(1);
    assertThat(termRecord.isLeaseValid(trust)).isFalse();
    assertThat(termRecord.last()).contains(trust);
  }

  @Test
  void aRecordHasStoodStillAfterTheLeaseAndTheDriftFromWhenItWasSeen() {
    termRecord.readLatest();
    pass(100_000_000);
    control.show(FIRST);

    pass(309_999_999);
    assertThat(termRecord.isLeaseExpired(FIRST)).isFalse();
    pass(1);
    assertThat(termRecord.isLeaseExpired(FIRST)).isTrue();
    assertThat(termRecord.isLeaseExpired(FIRST.beaten())).isFalse();

    termRecord.readLatest();
    control.show(FIRST.beaten());
    assertThat(termRecord.isLeaseExpired(FIRST)).isFalse();
    assertThat(termRecord.isLeaseExpired(FIRST.beaten())).isFalse();
    assertThat(termRecord.canRecoverKeys(FIRST.beaten())).isTrue();
  }

  @Test
  void looksThatOverlapAreOneAndEndByTheLeaseAndTheDrift() {
    CompletionStage<LeasedTerm> one = termRecord.readLatest();
    CompletionStage<LeasedTerm> other = termRecord.readLatest();

    assertThat(control.reads).hasSize(1);
    assertThat(control.deadlines.remove().atNanos())
        .isEqualTo(scheduler.nanos() + LEASES.outwaitNanos());
    control.show(FIRST);
    assertThat(one.toCompletableFuture().join()).isSameAs(other.toCompletableFuture().join());
  }

  @Test
  void aLookThatFailedIsFollowedByANewOne() {
    CompletionStage<LeasedTerm> failed = termRecord.readLatest();
    assertThat(failures()).isZero();
    control.reads.remove().completeExceptionally(new QuorumUnavailableException("c", shortfall()));
    assertFails(failed, QuorumUnavailableException.class);
    assertThat(failures()).isEqualTo(1);

    CompletionStage<LeasedTerm> next = termRecord.readLatest();
    control.show(FIRST);
    assertThat(next.toCompletableFuture().join().term()).isEqualTo(FIRST);
    assertThat(failures()).isEqualTo(1);
  }

  @Test
  void aRecordThatIsNoTermFailsTheLookByTypeAndIsNotTrusted() {
    CompletionStage<LeasedTerm> looked = termRecord.readLatest();
    control.reads.remove().complete(Optional.of(new Payload(Bytes.of((byte) 9, (byte) 9), 0)));

    assertFails(looked, MalformedEnvelopeException.class);
    assertThat(termRecord.last()).isEmpty();
    termRecord.readLatest();
    assertThat(control.reads).hasSize(1);
  }

  @Test
  void anAnswerThatWasOvertakenDoesNotReplaceALaterTerm() {
    Term later = FIRST.succeeded("b", SELF);
    control.written =
        CompletableFuture.completedFuture(new WriteOutcome.Applied<>(later, Stamp.NONE, true));
    CompletionStage<LeasedTerm> slow = termRecord.readLatest();

    termRecord.change(FIRST, later);
    control.show(FIRST);

    assertThat(slow.toCompletableFuture().join().term()).isEqualTo(FIRST);
    assertThat(termRecord.last().orElseThrow().term()).isEqualTo(later);
    assertThat(termRecord.of(FIRST.epoch())).isEmpty();
  }

  @Test
  void aChangeOfUnknownOutcomeIsNotTrusted() {
    control.written = CompletableFuture.completedFuture(new WriteOutcome.Unknown<>(shortfall()));

    assertFails(termRecord.change(FIRST, FIRST.beaten()), TermRecord.NotKnownException.class);
    assertThat(control.deadlines.remove().atNanos())
        .isEqualTo(scheduler.nanos() + LEASES.outwaitNanos());
    assertThat(termRecord.last()).isEmpty();
    assertThat(failures()).isEqualTo(1);
  }

  @Test
  void aRecordThatIsGoneIsNotBelievedToBeWhatWasToBeWritten() {
    control.gone = true;

    assertFails(termRecord.change(FIRST, FIRST.beaten()), TermRecord.NotKnownException.class);
    assertThat(termRecord.last()).isEmpty();
  }

  @Test
  void aLookThatCouldNotBeginFailsAndIsFollowedByANewOne() {
    control.throwing = true;
    assertFails(termRecord.readLatest(), IllegalStateException.class);
    control.throwing = false;

    CompletionStage<LeasedTerm> next = termRecord.readLatest();
    control.show(FIRST);
    assertThat(next.toCompletableFuture().join().term()).isEqualTo(FIRST);
  }

  @Test
  void anAnswerThatWasOvertakenDoesNotReplaceALaterBeatNorALaterLook() {
    control.written = applied(FIRST.beaten());
    CompletionStage<LeasedTerm> slow = termRecord.readLatest();
    pass(1_000_000);
    LeasedTerm beaten = termRecord.change(FIRST, FIRST.beaten()).toCompletableFuture().join();
    control.show(FIRST);
    assertThat(slow).isCompleted();
    assertThat(termRecord.last()).contains(beaten);

    CompletionStage<LeasedTerm> earlier = termRecord.readLatest();
    pass(1_000_000);
    LeasedTerm later = termRecord.change(FIRST, FIRST.beaten()).toCompletableFuture().join();
    control.show(FIRST.beaten());
    assertThat(earlier).isCompleted();
    assertThat(termRecord.last()).as("of when it was asked").contains(later);
  }

  @Test
  void aRecordThatIsSeenAgainHasStoodStillSinceItWasSeenFirst() {
    termRecord.readLatest();
    control.show(FIRST);
    pass(200_000_000);
    termRecord.readLatest();
    control.show(FIRST);
    pass(110_000_000);

    assertThat(termRecord.isLeaseExpired(FIRST)).isTrue();
  }

  @Test
  void whereTrustHasRunOutTheRecordIsAskedWhetherTheTermLasts() {
    termRecord.readLatest();
    control.show(FIRST);
    pass(400_000_000);

    CompletionStage<Boolean> lasts = termRecord.checkStillAllowed(FIRST, LEASES::holds);
    control.show(FIRST.beaten());
    assertThat(lasts).isCompletedWithValue(true);
    assertThat(termRecord.checkStillAllowed(FIRST, LEASES::holds)).isCompletedWithValue(true);
    assertThat(control.reads).as("trusted, and not asked").isEmpty();

    pass(400_000_000);
    CompletionStage<Boolean> over = termRecord.checkStillAllowed(FIRST, LEASES::holds);
    control.show(FIRST.succeeded("b", SELF));
    assertThat(over).isCompletedWithValue(false);
  }

  @Test
  void everythingThatIsSeenIsToldOf() {
    List<Term> told = new ArrayList<>();
    termRecord.watch(trust -> told.add(trust.term()));
    control.written = applied(FIRST.beaten());
    termRecord.readLatest();
    control.show(FIRST);
    termRecord.change(FIRST, FIRST.beaten());

    assertThat(told).containsExactly(FIRST, FIRST.beaten());
  }

  @Test
  void whereThereIsNoRecordTheFirstTermIsNobodysAndAtTheFirstSite() {
    control.gone = true;
    termRecord.readLatest();
    control.reads.remove().complete(Optional.empty());

    assertThat(termRecord.last().orElseThrow().term()).isEqualTo(Term.first("a", WriterId.NONE));
  }

  private static CompletionStage<WriteOutcome<Term>> applied(Term term) {
    return CompletableFuture.completedFuture(new WriteOutcome.Applied<>(term, Stamp.NONE, true));
  }

  private static QuorumFailure shortfall() {
    return new QuorumFailure(2, 3, Set.of(), Map.of());
  }
}
