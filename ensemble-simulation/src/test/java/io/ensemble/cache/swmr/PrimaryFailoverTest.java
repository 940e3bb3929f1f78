package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.copy.SwmrKeyLayout;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When the primary is moved. The test sets how long each site takes to answer a read. */
class PrimaryFailoverTest {

  private static final TermLeaseRules LEASES = new TermLeaseRules(300_000_000, 10_000_000);
  private static final WriterId SELF = new WriterId(1, 2);
  private static final Bytes KEY = Bytes.of((byte) 7);
  private static final long NEVER = Long.MAX_VALUE;
  private static final long MILLI = 1_000_000;

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final Map<String, Long> delays = new HashMap<>();
  private boolean busy;
  private boolean lost;
  private int asked;
  private final EngineContext cache =
      new EngineContext(
          CacheDefinition.of("c", Mode.SWMR).sites("a", "b", "c").build(),
          Stream.of("a", "b", "c").map(this::handle).toList(),
          Optional.empty(),
          scheduler,
          new HybridClock(scheduler::epochMicros),
          SELF,
          CacheMetrics.NONE);
  private final TermRegister register = new TermRegister(Term.first("a", SELF));
  private final TermRecord termRecord =
      new TermRecord(register, SwmrKeyLayout.RECORD, cache, LEASES);
  private final PrimaryFailover watch = new PrimaryFailover(cache, termRecord, LEASES);

  PrimaryFailoverTest() {
    List.of("a", "b", "c").forEach(site -> delays.put(site, MILLI));
    termRecord.readLatest();
  }

  private StoreHandle handle(String site) {
    return FakeHandle.opening(
        site,
        () ->
            CompletableFuture.completedFuture(
                FakeHandle.store((proxy, method, given) -> read(site, (Deadline) given[1]))));
  }

  private CompletionStage<Optional<StoredEntry>> read(String site, Deadline deadline) {
    CompletableFuture<Optional<StoredEntry>> answer = new CompletableFuture<>();
    if (site.equals("a")) {
      asked++;
    }
    if (busy && site.equals("a")) {
      answer.completeExceptionally(SiteException.notSent(site, Reason.BUSY, "full"));
      return answer;
    }
    if (lost && site.equals("a")) {
      answer.completeExceptionally(SiteException.notSent(site, Reason.STORE_LOST, "none there"));
      return answer;
    }
    long delay = delays.get(site);
    long left = deadline.remainingNanos(scheduler);
    scheduler.after(
        Math.min(delay, left),
        () -> {
          if (delay <= left) {
            answer.complete(Optional.empty());
          } else {
            answer.completeExceptionally(new SiteException(site, Reason.TIMED_OUT, "slow"));
          }
        });
    return answer;
  }

  private String primary() {
    return termRecord.last().orElseThrow().term().primary();
  }

  private void pass(long nanos) {
    scheduler.after(nanos, () -> {}); // The clock advances only from task to task.
    scheduler.run(Duration.ofNanos(nanos), 100_000);
  }

  /**
   * Reports that the primary did not answer, every ten milliseconds, as readers with that deadline
   * do.
   */
  private void impatientReaders(long nanos) {
    Term term = termRecord.last().orElseThrow().term();
    for (long passed = 0; passed < nanos; passed += 10 * MILLI) {
      pass(10 * MILLI);
      watch.recordResponse(term, false, KEY);
    }
  }

  @Test
  void readersThatWaitTooShortDoNotMoveAPrimaryThatAnswers() {
    delays.put("a", 15 * MILLI);

    impatientReaders(20 * LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("a");
    assertThat(asked).as("probes are spaced").isBetween(2, 61);
  }

  @Test
  void aPrimaryWhoseStoreIsKnownToBeLostIsMovedThoughNothingIsSentToIt() {
    lost = true;

    watch.recordResponse(termRecord.last().orElseThrow().term(), false, KEY);
    pass(2 * LEASES.leaseNanos() + LEASES.renewalNanos());

    assertThat(primary()).isNotEqualTo("a");
  }

  @Test
  void aPrimaryThatIsSilentForALeaseIsMovedThoughOnlyOneCallMissedIt() {
    delays.put("a", NEVER);
    delays.put("b", 5 * MILLI);

    watch.recordResponse(termRecord.last().orElseThrow().term(), false, KEY);
    pass(LEASES.leaseNanos() - 1);
    assertThat(primary()).isEqualTo("a");
    pass(LEASES.leaseNanos() + LEASES.renewalNanos());

    assertThat(primary()).isEqualTo("c");
  }

  /** Another process moves the primary to {@code site}, and this process reads the new record. */
  private Term movedByAnother(String site) {
    Term present = termRecord.last().orElseThrow().term();
    Term next = present.succeeded(site, SELF).activated();
    register.put(next);
    termRecord.readLatest();
    return next;
  }

  private void probes(Term term, long nanos) {
    for (long passed = 0; passed < nanos; passed += LEASES.renewalNanos()) {
      watch.probe(term);
      pass(LEASES.renewalNanos());
    }
  }

  @Test
  void whoNeverHadAnAnswerFromANewPrimaryLeavesItForAWhileToThoseWhoHave() {
    delays.put("b", NEVER);
    Term moved = movedByAnother("b");

    probes(moved, (PrimaryFailover.LEASES_TO_SETTLE - 1) * LEASES.leaseNanos());
    assertThat(primary()).isEqualTo("b");

    probes(moved, 3 * LEASES.leaseNanos());
    assertThat(primary()).isNotEqualTo("b");
  }

  @Test
  void aNewPrimaryThatDiesIsReplacedInTimeByWhomItHadAnswered() {
    Term moved = movedByAnother("b");
    watch.probe(moved);
    pass(LEASES.renewalNanos());
    Term anotherWriters = movedByAnother("b");
    delays.put("b", NEVER);

    probes(anotherWriters, 2 * LEASES.leaseNanos());

    assertThat(primary()).isNotEqualTo("b");
  }

  @Test
  void aPrimaryThatDiesAsSoonAsItIsChosenIsReplacedInTimeByWhoChoseIt() {
    delays.put("a", NEVER);
    delays.put("b", 5 * MILLI);
    watch.recordResponse(termRecord.last().orElseThrow().term(), false, KEY);
    pass(2 * LEASES.leaseNanos() + LEASES.renewalNanos());
    assertThat(primary()).isEqualTo("c");

    delays.put("c", NEVER);
    delays.put("a", 9 * MILLI);
    probes(termRecord.last().orElseThrow().term(), 2 * LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("b");
  }

  @Test
  void whatIsNotSentForWantOfRoomHereDoesNotMoveThePrimary() {
    busy = true;

    impatientReaders(10 * LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("a");
    assertThat(asked).isGreaterThan(2);
  }

  @Test
  void twoFailuresFarApartAreNoSilence() {
    Term term = termRecord.last().orElseThrow().term();
    delays.put("a", NEVER);
    watch.recordResponse(term, false, KEY);
    pass(LEASES.renewalNanos());
    delays.put("a", MILLI);
    pass(10 * LEASES.leaseNanos());

    delays.put("a", NEVER);
    watch.recordResponse(term, false, KEY);
    pass(LEASES.renewalNanos());
    delays.put("a", MILLI);
    pass(LEASES.leaseNanos());

    assertThat(primary()).isEqualTo("a");
  }
}
