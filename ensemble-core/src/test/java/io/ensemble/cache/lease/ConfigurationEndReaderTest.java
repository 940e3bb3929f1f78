package io.ensemble.cache.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A lease is renewed beside the calls that need it; no answer is given without a lease. */
final class ConfigurationEndReaderTest {

  private static final Bytes KEY = Bytes.of((byte) 1);
  private static final Bytes END = Bytes.of((byte) 9);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final List<ScriptedStore> stores =
      List.of(new ScriptedStore(), new ScriptedStore(), new ScriptedStore());
  private final AtomicInteger ends = new AtomicInteger();
  private final ConfigurationEndReader trust =
      new ConfigurationEndReader(
          ConfigurationLeaseRules.STANDARD, stores, 2, scheduler, ends::incrementAndGet);

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(1), scheduler);
  }

  private void end(int site) {
    stores.get(site).entries.put(ReservedKey.END, new StoredEntry(END, 1));
  }

  @Test
  void aBusyCacheLooksThreeTimesALeaseWhateverItsCallers() {
    for (int call = 0; call < 4_000; call++) {
      trust.use();
      assertThat(trust.mayAnswer()).isTrue();
      scheduler.advance(Duration.ofMillis(1));
    }

    assertThat(stores).allSatisfy(store -> assertThat(store.looks).isBetween(6, 7));
  }

  @Test
  void anIdleCacheLooksForNothingAndTrustsNothing() {
    trust.use();
    scheduler.advance(Duration.ofSeconds(2));

    assertThat(trust.mayAnswer()).isFalse();
    assertThat(stores).allSatisfy(store -> assertThat(store.looks).isEqualTo(1));
    assertThat(trust.confirmed(soon())).isCompletedWithValue(true);
  }

  @Test
  void aMinorityThatIsSilentOrEndedDoesNotMatterAMajorityDoes() {
    end(0);
    assertThat(trust.confirmed(soon())).isCompletedWithValue(true);
    assertThat(ends).hasPositiveValue();
    assertThat(trust.isEnding()).isTrue();

    end(1);
    scheduler.advance(Duration.ofSeconds(3));
    assertThat(trust.confirmed(soon())).isCompletedWithValue(false);
  }

  @Test
  void aQuestionThatStaysOpenEndsAtTheDeadline() {
    stores.forEach(store -> store.slow = true);

    var answer = trust.confirmed(soon()).toCompletableFuture();
    assertThat(answer).isNotDone();
    scheduler.advance(Duration.ofSeconds(1));

    assertThat(answer).isCompletedWithValue(false);
  }

  @Test
  void trustIsRenewedWhateverDataIsInTheWay() {
    stores.forEach(store -> store.isBusyWithData = true);

    trust.use();

    assertThat(trust.mayAnswer()).isTrue();
  }

  @Test
  void sitesThatFailToSayAreAskedAgainUntilTheDeadline() {
    stores.get(0).slow = true; // Never answers.
    stores.get(1).failures = 3;
    stores.get(2).failures = 15;

    var answer = trust.confirmed(soon()).toCompletableFuture();
    var other = trust.confirmed(soon()).toCompletableFuture();
    assertThat(answer).isNotDone();
    scheduler.advance(Duration.ofMillis(900));

    assertThat(answer).isCompletedWithValue(true);
    assertThat(other).isCompletedWithValue(true);
    assertThat(stores.get(2).looks).as("once at a time, whoever waits").isEqualTo(16);
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(stores.get(2).looks).as("nobody waits").isEqualTo(16);
    assertThat(scheduler.timers()).isZero();
  }

  @Test
  void anAnswerIsNotGivenWhenSitesFailToSayUntilTheDeadline() {
    stores.forEach(store -> store.failures = Integer.MAX_VALUE);

    var answer = trust.confirmed(soon()).toCompletableFuture();
    scheduler.advance(Duration.ofMillis(999));
    assertThat(answer).isNotDone();
    scheduler.advance(Duration.ofMillis(1));

    assertThat(answer).isCompletedWithValue(false);
  }

  @Test
  void aSlowAnswerIsGoodForTheRestOfItsLease() {
    stores.forEach(store -> store.slow = true);
    Deadline late = Deadline.after(Duration.ofSeconds(10), scheduler);
    var answer = trust.confirmed(late).toCompletableFuture();
    scheduler.advance(Duration.ofMillis(1_900));

    stores.forEach(store -> store.answers.remove().run());

    assertThat(answer).isCompletedWithValue(true);
    scheduler.advance(Duration.ofMillis(100));
    assertThat(trust.mayAnswer()).isFalse();
  }

  @Test
  void aClosedOneLeavesNobodyWaiting() {
    stores.forEach(store -> store.slow = true);
    var answer = trust.confirmed(soon()).toCompletableFuture();

    trust.close();

    assertThat(answer).isCompletedWithValue(false);
    assertThat(trust.confirmed(soon())).isCompletedWithValue(false);
  }

  @Test
  void ofOneSiteAFailureIsAnAnswer() {
    stores.get(1).failures = 1;

    assertThat(trust.confirmed(1, soon())).isCompletedWithValue(false);
    assertThat(trust.confirmed(1, soon())).isCompletedWithValue(true);
  }

  @Test
  void whatAStoreAnswersWithoutTrustIsNoAnswer() {
    LeasedStoreHandle handle = new LeasedStoreHandle(stores.get(0), trust, 0);
    SiteStore store = handle.current().orElseThrow();
    assertThat(handle.current().orElseThrow()).isSameAs(store);
    assertThat(store.get(KEY, soon())).isCompleted();

    end(0);
    scheduler.advance(Duration.ofSeconds(3));

    assertThat(store.get(KEY, soon()).toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(SiteException.class);
  }

  @Test
  void anAnswerWithoutTrustNamesTheEndOnlyWhereOneIsKnown() {
    SiteStore store = new LeasedStoreHandle(stores.get(0), trust, 0).current().orElseThrow();
    stores.get(0).slow = true;

    CompletableFuture<?> open = store.get(KEY, soon()).toCompletableFuture();
    stores.get(0).answers.removeLast().run(); // The value arrives; the read of the end stays open.
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(reasonOf(open)).isEqualTo(SiteException.Reason.TIMED_OUT);

    stores.get(0).slow = false;
    end(0);
    scheduler.advance(Duration.ofSeconds(3));
    assertThat(reasonOf(store.get(KEY, soon()).toCompletableFuture()))
        .isEqualTo(SiteException.Reason.FAILED);
  }

  private static SiteException.Reason reasonOf(CompletableFuture<?> failed) {
    assertThat(failed).isCompletedExceptionally();
    return failed
        .handle((value, failure) -> ((SiteException) CompletionCause.of(failure)).reason())
        .join();
  }

  @Test
  void whatWasDisplacedWithoutTrustGoesBackIfItIsNewer() {
    SiteStore store = new LeasedStoreHandle(stores.get(0), trust, 0).current().orElseThrow();
    Bytes older = stamped(5);
    Bytes newer = stamped(7);
    end(0);
    stores.get(0).entries.put(KEY, new StoredEntry(newer, 77));

    assertThat(store.getAndPut(KEY, older, soon())).isCompletedExceptionally();
    assertThat(stores.get(0).entries.get(KEY).value()).isEqualTo(newer);

    assertThat(store.getAndPut(KEY, stamped(9), soon())).isCompletedExceptionally();
    assertThat(stores.get(0).entries.get(KEY).value()).isEqualTo(stamped(9));
  }

  @Test
  void walksLeaveReservedKeysOutAndGoOn() {
    ScriptedStore store = stores.get(0);
    end(0);
    store.entries.put(KEY, new StoredEntry(stamped(1), 1));
    SiteStore.Scan scan = ReservedKey.without(store.scan(1));

    assertThat(scan.next(soon()).toCompletableFuture().join()).hasSize(1);
    assertThat(scan.next(soon()).toCompletableFuture().join()).isEmpty();
  }

  private static Bytes stamped(long micros) {
    Stamp stamp = new Stamp(micros, new WriterId(1, 1));
    return EnvelopeCodec.encode(Envelope.of(stamp, Bytes.of((byte) 1), 0));
  }

  @Test
  void aSiteThatIsNotTrustedAnyMoreIsTrustedAgainOnlyIfTheRecordNamesTheConfiguration() {
    AtomicBoolean named = new AtomicBoolean(true);
    AtomicInteger asked = new AtomicInteger();
    ConfigurationEndReader cutover =
        new ConfigurationEndReader(
            ConfigurationLeaseRules.STANDARD,
            stores,
            2,
            scheduler,
            () -> {},
            () -> {
              asked.incrementAndGet();
              return CompletableFuture.completedFuture(named.get());
            });
    assertThat(cutover.confirmed(soon())).isCompletedWithValue(true);
    assertThat(asked).hasValue(3);

    named.set(false);
    for (int i = 0; i < 10; i++) { // The cache stays in use.
      scheduler.advance(Duration.ofSeconds(1));
      cutover.use();
      assertThat(cutover.mayAnswer()).isTrue();
    }
    assertThat(asked).hasValue(3);
    scheduler.advance(Duration.ofSeconds(3));

    var answer = cutover.confirmed(soon()).toCompletableFuture();
    assertThat(answer).isNotDone();
    assertThat(cutover.mayAnswer()).isFalse();
    scheduler.advance(Duration.ofSeconds(1));
    assertThat(answer).isCompletedWithValue(false);
    assertThat(cutover.isEnding()).as("the end was not met").isFalse();
  }
}
