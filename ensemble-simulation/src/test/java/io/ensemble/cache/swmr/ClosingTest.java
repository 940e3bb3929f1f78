package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.copy.CopyCodec;
import io.ensemble.cache.swmr.copy.KeyRecovery;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The closing walk between the recovery of all keys of a term and the term being whole. */
class ClosingTest {

  private static final WriterId SELF = new WriterId(1, 2);
  private static final TermLeaseRules LEASES = new TermLeaseRules(300_000_000, 10_000_000);
  private static final Term RECOVERING = Term.first("b", SELF).succeeded("a", SELF).activated();
  private static final Bytes SETTLED = Bytes.of((byte) 7);
  private static final Bytes LEFT_OVER = Bytes.of((byte) 8);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final List<String> walked = new ArrayList<>();
  private final EngineContext cache =
      new EngineContext(
          CacheDefinition.of("c", Mode.SWMR).sites("a", "b", "c").build(),
          Stream.of("a", "b", "c").map(this::handle).toList(),
          Optional.empty(),
          scheduler,
          new HybridClock(scheduler::epochMicros),
          SELF,
          CacheMetrics.NONE);
  private final TermRegister register = new TermRegister(RECOVERING);
  private final TermRecord termRecord =
      new TermRecord(register, SwmrKeyLayout.RECORD, cache, LEASES);

  private StoreHandle handle(String site) {
    return FakeHandle.opening(
        site,
        () -> {
          walked.add(site);
          return CompletableFuture.completedFuture(
              FakeHandle.store((proxy, method, given) -> new TwoKeys()));
        });
  }

  private static final class TwoKeys implements SiteStore.Scan {
    private final Queue<List<Item>> batches =
        new ArrayDeque<>(
            List.of(
                List.of(new Item(SETTLED, stored(true)), new Item(LEFT_OVER, stored(false))),
                List.of()));

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      return CompletableFuture.completedFuture(batches.remove());
    }

    @Override
    public void close() {}
  }

  private static Bytes stored(boolean settled) {
    return CopyCodec.encode(new Copy<>(new CopyPosition(2, 0), settled, Stamp.NONE, null));
  }

  private void pass(long nanos) {
    scheduler.after(nanos, () -> {}); // The clock advances only from task to task.
    scheduler.run(Duration.ofNanos(nanos), 1_000);
  }

  private void show(Term term) {
    register.put(term);
    termRecord.readLatest();
  }

  @Test
  void keysAreRecoveredUnderALeaseInWhichNotAllAre() {
    show(RECOVERING);
    pass(299_999_999);
    assertThat(termRecord.mayRecover(RECOVERING)).isTrue();
    pass(1);
    assertThat(termRecord.mayRecover(RECOVERING)).as("the lease is over").isFalse();

    show(RECOVERING.beaten());
    assertThat(termRecord.mayRecover(RECOVERING)).as("it was renewed").isTrue();

    show(RECOVERING.beaten().recoveredFirst());
    assertThat(termRecord.mayRecover(RECOVERING)).as("all are").isFalse();
  }

  @Test
  void aTermIsClosedWhenNobodyWhoRecoversHasALease() {
    Term closing = RECOVERING.recoveredFirst();
    show(RECOVERING);
    pass(310_000_000);
    assertThat(termRecord.canRecoverKeys(RECOVERING)).isTrue();

    show(closing);
    assertThat(termRecord.canRecoverKeys(RECOVERING)).as("that is over").isFalse();
    pass(309_999_999);
    assertThat(termRecord.canRecoverKeys(closing)).isFalse();
    pass(1);
    assertThat(termRecord.canRecoverKeys(closing)).isTrue();
  }

  private List<Term> walksUntilWhole(boolean closes) {
    List<Term> walks = new ArrayList<>();
    WriterLease tenancy =
        new WriterLease(
            cache,
            termRecord,
            LEASES,
            closes,
            term -> {
              walks.add(term);
              return CompletableFuture.completedFuture(true);
            });
    show(RECOVERING);
    tenancy.takeResponsibility(RECOVERING);
    scheduler.run(() -> register.term().isWhole(), Duration.ofSeconds(10), 10_000);
    tenancy.close();
    return walks;
  }

  @Test
  void wherePrimariesAcknowledgeATermIsWalkedOnceMoreAfterALease() {
    List<Term> walks = walksUntilWhole(true);

    assertThat(walks).hasSize(2);
    assertThat(walks.get(0).isRecovered()).isFalse();
    assertThat(walks.get(1).closing()).isTrue();
    assertThat(scheduler.nanos()).isGreaterThan(2 * LEASES.outwaitNanos());
  }

  @Test
  void whereMajoritiesAcknowledgeItIsWholeAtOnce() {
    assertThat(walksUntilWhole(false)).hasSize(1);
    assertThat(register.term().isWhole()).isTrue();
  }

  @Test
  void theLastWalkMeetsWhatIsNotSettledAtThePrimary() {
    List<Bytes> met = new ArrayList<>();
    KeyRecovery walk =
        new KeyRecovery(
            cache,
            LEASES,
            key -> {
              met.add(key);
              return CompletableFuture.completedFuture(true);
            },
            () -> false);
    CompletableFuture<Boolean> all = walk.run(RECOVERING.recoveredFirst(), 2).toCompletableFuture();
    scheduler.run(all::isDone, Duration.ofSeconds(1), 1_000);

    assertThat(all.join()).isTrue();
    assertThat(walked).containsExactly("a");
    assertThat(met).containsExactly(LEFT_OVER);
  }
}
