package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.StoreHandle;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a process does about terms, over a record that answers at once. */
class TenancyTest {

  private static final Leases LEASES = new Leases(300_000_000, 10_000_000);
  private static final WriterId SELF = new WriterId(1, 2);
  private static final WriterId OTHER = new WriterId(3, 4);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final TermRegister register = new TermRegister(Term.first("a", WriterId.NONE));
  private final OpenCache cache =
      new OpenCache(
          CacheDefinition.of("c", Mode.SWMR).sites("a", "b", "c").build(),
          Stream.of("a", "b", "c").<StoreHandle>map(Unsent::new).toList(),
          Optional.empty(),
          scheduler,
          new HybridClock(scheduler::epochMicros),
          SELF,
          CacheMetrics.of(meters, "c", Mode.SWMR));
  private final Terms terms = new Terms(register, Keys.RECORD, cache, LEASES);
  private final List<Term> recoveries = new ArrayList<>();
  private final List<CompletableFuture<Boolean>> recovered = new ArrayList<>();
  private final Tenancy tenancy = new Tenancy(cache, terms, LEASES, false, this::recover);

  /** A store that nothing is sent to, which says nothing about its site. */
  private record Unsent(String site) implements StoreHandle {

    @Override
    public Optional<SiteStore> current() {
      return Optional.empty();
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.failedFuture(SiteException.notSent(site, Reason.BUSY, "full"));
    }
  }

  private CompletionStage<Boolean> recover(Term term) {
    CompletableFuture<Boolean> end = new CompletableFuture<>();
    recoveries.add(term);
    recovered.add(end);
    return end;
  }

  private void pass(long nanos) {
    scheduler.after(nanos, () -> {}); // Time passes from task to task.
    scheduler.run(Duration.ofNanos(nanos), 100_000);
  }

  private static <T> T got(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    return stage.toCompletableFuture().join();
  }

  private Optional<Trust> trusted() {
    return got(tenancy.trusted());
  }

  /** As one write asks. */
  private Optional<Trust> tenure() {
    return got(tenancy.tenure(new AtomicReference<>()));
  }

  private void beatsOfAnother(long nanos) {
    for (long passed = 0; passed < nanos; passed += LEASES.renewalNanos()) {
      pass(LEASES.renewalNanos());
      register.put(register.term().beaten());
    }
  }

  @Test
  void trustIsRenewedInTheBackgroundBeforeItRunsOut() {
    Trust first = trusted().orElseThrow();
    assertThat(register.reads).isEqualTo(1);
    pass(LEASES.renewalNanos());
    assertThat(trusted()).contains(first);
    assertThat(register.reads).as("it is young").isEqualTo(1);

    pass(1);
    assertThat(trusted()).as("nobody waits").contains(first);
    assertThat(register.reads).isEqualTo(2);
    assertThat(trusted().orElseThrow().sinceNanos()).isEqualTo(scheduler.nanos());
  }

  @Test
  void trustThatHasRunOutIsAskedFor() {
    Trust first = trusted().orElseThrow();
    pass(LEASES.leaseNanos());

    Trust next = trusted().orElseThrow();

    assertThat(next.sinceNanos()).isEqualTo(first.sinceNanos() + LEASES.leaseNanos());
    assertThat(next.term()).isEqualTo(first.term());
  }

  @Test
  void aTermIsActivatedOnceItsRecordHasStoodStillForTheLeaseAndTheDrift() {
    trusted();
    Term pending = register.term().succeeded("b", OTHER);
    register.put(pending);
    pass(LEASES.leaseNanos());
    assertThat(trusted()).isEmpty();
    pass(LEASES.outwaitNanos() - 1);
    assertThat(trusted()).isEmpty();
    assertThat(register.term()).isEqualTo(pending);

    pass(1);
    Trust begun = trusted().orElseThrow();

    assertThat(begun.term()).isEqualTo(pending.activated());
    assertThat(register.term()).isEqualTo(pending.activated());
  }

  @Test
  void whoComesTooLateToActivateATermTakesItAsItIs() {
    Term pending = register.term().succeeded("b", OTHER);
    register.put(pending);
    trusted();
    pass(LEASES.outwaitNanos());
    register.between = () -> register.put(pending.activated().beaten());

    assertThat(trusted().orElseThrow().term()).isEqualTo(pending.activated().beaten());
    pass(4 * LEASES.outwaitNanos());
    assertThat(recoveries).as("whoever activated it sees to that").isEmpty();
  }

  @Test
  void theFirstWhoWritesIsTheWriterAtOnceAndStaysItByItsBeats() {
    Term first = register.term();

    Trust own = tenure().orElseThrow();

    assertThat(own.term()).isEqualTo(first.handedOver(SELF));
    Term before = register.term();
    pass(20 * LEASES.renewalNanos());
    assertThat(register.term().epoch()).isEqualTo(before.epoch());
    assertThat(register.term().beat() - before.beat()).isBetween(15L, 20L);
    assertThat(tenure().orElseThrow().term().epoch()).isEqualTo(before.epoch());
  }

  @Test
  void aWriterThatLivesIsNamedToWhoWantsToWrite() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    AtomicReference<Term> firstSeen = new AtomicReference<>();
    assertThat(got(tenancy.tenure(firstSeen))).as("perhaps it is dead").isEmpty();
    pass(LEASES.renewalNanos());
    assertThat(got(tenancy.tenure(firstSeen))).isEmpty();
    register.put(register.term().beaten());

    assertThatThrownBy(() -> tenancy.tenure(firstSeen).toCompletableFuture().join())
        .cause()
        .isInstanceOfSatisfying(
            WriterPresentException.class,
            present -> {
              assertThat(present.cache()).isEqualTo("c");
              assertThat(present.writer()).isEqualTo(OTHER);
              assertThat(present.epoch()).isEqualTo(theirs.epoch());
              assertThat(present.retryAfter()).hasNanos(LEASES.outwaitNanos());
            });
    assertThat(meters.get("ensemble.writers.refused").counter().count()).isEqualTo(1);
    assertThat(register.term().writer()).isEqualTo(OTHER);
  }

  @Test
  void aWriterThatBeatsIsNeverFollowed() {
    register.put(register.term().handedOver(OTHER));
    for (int i = 0; i < 20; i++) {
      assertThat(tenure()).isEmpty();
      beatsOfAnother(LEASES.leaseNanos());
    }

    assertThat(register.term().writer()).isEqualTo(OTHER);
    assertThat(register.term().epoch()).isEqualTo(2);
  }

  @Test
  void aWriterThatFellSilentIsFollowedUnderTheSamePrimary() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    assertThat(tenure()).isEmpty();
    pass(LEASES.outwaitNanos() - 1);
    assertThat(tenure()).isEmpty();
    assertThat(register.term()).isEqualTo(theirs);

    pass(1);
    assertThat(tenure()).as("its trust may last").isEmpty();
    assertThat(register.term()).isEqualTo(theirs.succeeded("a", SELF));
    pass(LEASES.outwaitNanos());

    Term own = tenure().orElseThrow().term();
    assertThat(own.writer()).isEqualTo(SELF);
    assertThat(own.epoch()).isEqualTo(theirs.epoch() + 1);
    assertThat(own.primary()).isEqualTo("a");
  }

  @Test
  void aRetryAfterTheTimeThatARefusalNamesFollowsAWriterThatHasDiedSince() {
    register.put(register.term().handedOver(OTHER));
    AtomicReference<Term> firstSeen = new AtomicReference<>();
    got(tenancy.tenure(firstSeen));
    register.put(register.term().beaten());
    CompletableFuture<?> refused = tenancy.tenure(firstSeen).toCompletableFuture();
    assertThat(refused).isCompletedExceptionally();
    WriterPresentException why =
        (WriterPresentException) refused.handle((done, failure) -> failure.getCause()).join();

    pass(why.retryAfter().toNanos());
    tenure();

    assertThat(register.term().writer()).isEqualTo(SELF);
  }

  @Test
  void whoBeginsATermRecoversAllKeysIntoItWhenNobodyTrustsTheFormerOne() {
    tenure();
    pass(LEASES.outwaitNanos() - LEASES.renewalNanos());
    assertThat(recoveries).isEmpty();
    pass(2 * LEASES.renewalNanos());
    assertThat(recoveries).extracting(Term::epoch).containsExactly(2L);

    pass(10 * LEASES.renewalNanos());
    assertThat(recoveries).as("one at a time").hasSize(1);
    assertThat(register.term().isWhole()).isFalse();
    recovered.get(0).complete(false);
    pass(2 * LEASES.renewalNanos());
    assertThat(recoveries).as("not all could be").hasSize(2);
    recovered.get(1).completeExceptionally(new IllegalStateException("planted"));
    pass(2 * LEASES.renewalNanos());
    assertThat(recoveries).hasSize(3);
    recovered.get(2).complete(true);
    pass(2 * LEASES.renewalNanos());

    assertThat(register.term().isWhole()).isTrue();
    pass(10 * LEASES.renewalNanos());
    assertThat(recoveries).hasSize(3);
  }

  @Test
  void whoOnlyReadsDoesNotRecoverUnlessItIsAskedTo() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    for (int i = 0; i < 10; i++) {
      trusted();
      beatsOfAnother(LEASES.leaseNanos());
    }
    assertThat(recoveries).isEmpty();

    tenancy.beResponsible(register.term());
    pass(3 * LEASES.renewalNanos());

    assertThat(recoveries).extracting(Term::epoch).containsExactly(theirs.epoch());
  }

  @Test
  void whatWasRecoveredIntoATermSaysNothingOfTheNext() {
    tenure();
    pass(LEASES.outwaitNanos() + LEASES.renewalNanos());
    assertThat(recoveries).hasSize(1);
    Term next = register.term().succeeded("b", SELF);
    register.put(next);
    got(terms.look());
    pass(LEASES.outwaitNanos() + 3 * LEASES.renewalNanos());
    assertThat(register.term().primary()).isEqualTo("b");
    assertThat(recoveries).extracting(Term::epoch).containsExactly(2L, 3L);

    recovered.get(0).complete(true);
    pass(3 * LEASES.renewalNanos());
    assertThat(register.term().isWhole()).isFalse();

    recovered.get(1).complete(true);
    pass(3 * LEASES.renewalNanos());
    assertThat(register.term().floor()).isEqualTo(3);
  }

  @Test
  void whoGivesItsPlaceUpIsNoWriterAndBeatsNoMore() {
    tenure();
    register.between = () -> register.put(register.term().beaten()); // its own beat, just then

    got(tenancy.resign());

    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    Term left = register.term();
    pass(10 * LEASES.renewalNanos());
    assertThat(register.term().beat()).isEqualTo(left.beat());
    assertThat(tenure().orElseThrow().term().epoch()).as("it may write again").isEqualTo(3);
  }

  @Test
  void whoIsNotTheWriterGivesNothingUp() {
    register.put(register.term().handedOver(OTHER));
    Term theirs = register.term();
    trusted();

    got(tenancy.resign());

    assertThat(register.term()).isEqualTo(theirs);
  }

  @Test
  void givingUpIsRepeatedAFewTimesWhileItIsNotKnownWhetherItWasDone() {
    tenure();
    register.unknown = 1;
    got(tenancy.resign());
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    assertThat(register.unknown).isZero();

    tenure();
    register.lost = 2;
    got(tenancy.resign());
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);

    tenure();
    register.lost = 3;
    assertThatThrownBy(() -> tenancy.resign().toCompletableFuture().join())
        .hasCauseInstanceOf(Terms.NotKnownException.class);
    assertThat(register.term().writer()).isEqualTo(SELF);
  }

  @Test
  void aNewTermForUnknownOutcomesHasTheSamePrimaryAndWriter() {
    Term own = tenure().orElseThrow().term();

    got(tenancy.beginAnew(own));

    assertThat(register.term()).isEqualTo(own.succeeded("a", SELF));
    Term later = register.term();
    got(tenancy.beginAnew(own));
    assertThat(register.term()).as("it was begun already").isEqualTo(later);
    register.unknown = 1;
    assertThat(tenancy.beginAnew(later)).isCompletedExceptionally();
  }

  @Test
  void whoClosesReleasesItsPlaceAndDoesNothingMore() {
    tenure();
    pass(LEASES.renewalNanos());

    tenancy.close();

    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    Term left = register.term();
    int asked = register.reads;
    pass(10 * LEASES.outwaitNanos());
    assertThat(register.term()).isEqualTo(left);
    assertThat(register.reads).isEqualTo(asked);
    assertThat(recoveries).isEmpty();
    assertThat(tenure()).as("it writes no more").isEmpty();
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
  }
}
