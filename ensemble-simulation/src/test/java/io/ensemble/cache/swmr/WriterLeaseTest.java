package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.stamp.Stamp;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long a process relies on a term, and how it becomes the writer. */
class WriterLeaseTest extends WriterLeaseFixture {

  private static final WriteOutcome.Refused<Void> REFUSED =
      new WriteOutcome.Refused<>(new QuorumFailure(2, 3, Set.of(), Map.of()));

  @Test
  void trustIsRenewedInTheBackgroundBeforeItRunsOut() {
    LeasedTerm first = findLeasedTerm().orElseThrow();
    assertThat(register.reads).isEqualTo(1);
    pass(LEASES.renewalNanos());
    assertThat(findLeasedTerm()).contains(first);
    assertThat(register.reads).as("it is young").isEqualTo(1);

    pass(1);
    assertThat(findLeasedTerm()).as("nobody waits").contains(first);
    assertThat(register.reads).isEqualTo(2);
    assertThat(findLeasedTerm().orElseThrow().sinceNanos()).isEqualTo(scheduler.nanos());
  }

  @Test
  void trustThatHasRunOutIsAskedFor() {
    LeasedTerm first = findLeasedTerm().orElseThrow();
    pass(LEASES.leaseNanos());

    LeasedTerm next = findLeasedTerm().orElseThrow();

    assertThat(next.sinceNanos()).isEqualTo(first.sinceNanos() + LEASES.leaseNanos());
    assertThat(next.term()).isEqualTo(first.term());
  }

  @Test
  void aTermIsActivatedOnceItsRecordHasStoodStillForTheLeaseAndTheDrift() {
    findLeasedTerm();
    Term pending = register.term().succeeded("b", OTHER);
    register.put(pending);
    pass(LEASES.leaseNanos());
    assertThat(findLeasedTerm()).isEmpty();
    pass(LEASES.outwaitNanos() - 1);
    assertThat(findLeasedTerm()).isEmpty();
    assertThat(register.term()).isEqualTo(pending);

    pass(1);
    LeasedTerm begun = findLeasedTerm().orElseThrow();

    assertThat(begun.term()).isEqualTo(pending.activated());
    assertThat(register.term()).isEqualTo(pending.activated());
  }

  @Test
  void whoComesTooLateToActivateATermTakesItAsItIs() {
    Term pending = register.term().succeeded("b", OTHER);
    register.put(pending);
    findLeasedTerm();
    pass(LEASES.outwaitNanos());
    register.between = () -> register.put(pending.activated().beaten());

    assertThat(findLeasedTerm().orElseThrow().term()).isEqualTo(pending.activated().beaten());
    pass(4 * LEASES.outwaitNanos());
    assertThat(recoveries).as("whoever activated it sees to that").isEmpty();
  }

  @Test
  void theFirstWhoWritesIsTheWriterAtOnceAndStaysItByItsBeats() {
    Term first = register.term();

    LeasedTerm own = acquireLease().orElseThrow();

    assertThat(own.term()).isEqualTo(first.handedOver(SELF));
    Term before = register.term();
    pass(20 * LEASES.renewalNanos());
    assertThat(register.term().epoch()).isEqualTo(before.epoch());
    assertThat(register.term().beat() - before.beat()).isBetween(15L, 20L);
    assertThat(acquireLease().orElseThrow().term().epoch()).isEqualTo(before.epoch());
  }

  @Test
  void aWriterThatLivesIsNamedToWhoWantsToWrite() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    assertThat(acquireLease()).as("perhaps it is dead").isEmpty();
    pass(LEASES.renewalNanos());
    assertThat(acquireLease()).isEmpty();
    register.put(register.term().beaten());

    assertThatThrownBy(() -> tenancy.acquireLease().toCompletableFuture().join())
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

  /** Otherwise each refused call would wait for a heartbeat of its own. */
  @Test
  void whatOneCallHasSeenOfTheWriterRefusesTheNextAtOnceForALease() {
    register.put(register.term().handedOver(OTHER));
    assertThat(acquireLease()).isEmpty();
    long asked = scheduler.nanos();
    pass(LEASES.renewalNanos());
    register.put(register.term().beaten());
    assertThat(tenancy.acquireLease()).isCompletedExceptionally();

    pass(asked + LEASES.leaseNanos() - 1 - scheduler.nanos());
    assertThat(tenancy.acquireLease()).isCompletedExceptionally();
    pass(1);
    assertThat(acquireLease()).as("perhaps it is dead").isEmpty();
  }

  /**
   * Only its own heartbeat shows that the writer lives: it may have died with the former primary.
   */
  @Test
  void whatAnybodyDoesToATermIsNoSignOfItsWritersLife() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    findLeasedTerm();
    register.put(theirs.succeeded("b", OTHER));
    pass(LEASES.leaseNanos());
    assertThat(findLeasedTerm()).isEmpty();
    pass(LEASES.outwaitNanos());
    findLeasedTerm();
    assertThat(register.term().active()).isTrue();

    assertThat(acquireLease()).as("begun by this process").isEmpty();
    register.put(register.term().recoveredFirst());
    assertThat(acquireLease()).isEmpty();
    register.put(register.term().recovered());
    assertThat(acquireLease()).isEmpty();

    register.put(register.term().beaten());
    assertThat(tenancy.acquireLease()).isCompletedExceptionally();
  }

  @Test
  void aWriterThatComesLives() {
    findLeasedTerm();
    register.put(register.term().handedOver(OTHER));

    assertThat(tenancy.acquireLease()).isCompletedExceptionally();
  }

  @Test
  void aRefusalUnderATermThatIsTrustedTellsThatAnotherWrites() {
    assertThat(isTold(REFUSED)).as("nothing is known").isFalse();
    findLeasedTerm();
    assertThat(isTold(REFUSED)).as("nobody writes").isFalse();
    register.put(register.term().handedOver(OTHER));
    got(terms.readLatest());
    assertThat(isTold(REFUSED)).isTrue();
    assertThat(isTold(new WriteOutcome.Unknown<>(REFUSED.why()))).isFalse();
    assertThat(isTold(new WriteOutcome.Applied<>(null, Stamp.NONE, true))).isFalse();

    pass(LEASES.leaseNanos());
    assertThat(isTold(REFUSED)).as("not trusted any more").isFalse();
    register.put(register.term().released().handedOver(SELF));
    got(terms.readLatest());
    assertThat(isTold(REFUSED)).as("it writes itself").isFalse();
  }

  private boolean isTold(WriteOutcome<Void> outcome) {
    return tenancy
        .failIfWriterPresent(outcome)
        .handle((same, failure) -> failure instanceof WriterPresentException)
        .toCompletableFuture()
        .join();
  }

  @Test
  void aWriterThatBeatsIsNeverFollowed() {
    register.put(register.term().handedOver(OTHER));
    for (int i = 0; i < 20; i++) {
      assertThat(acquireLease()).isEmpty();
      beatsOfAnother(LEASES.leaseNanos());
    }

    assertThat(register.term().writer()).isEqualTo(OTHER);
    assertThat(register.term().epoch()).isEqualTo(2);
  }

  @Test
  void aWriterThatFellSilentIsFollowedUnderTheSamePrimary() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    assertThat(acquireLease()).isEmpty();
    pass(LEASES.outwaitNanos() - 1);
    assertThat(acquireLease()).isEmpty();
    assertThat(register.term()).isEqualTo(theirs);

    pass(1);
    assertThat(acquireLease()).as("its trust may last").isEmpty();
    assertThat(register.term()).isEqualTo(theirs.succeeded("a", SELF));
    pass(LEASES.outwaitNanos());

    Term own = acquireLease().orElseThrow().term();
    assertThat(own.writer()).isEqualTo(SELF);
    assertThat(own.epoch()).isEqualTo(theirs.epoch() + 1);
    assertThat(own.primary()).isEqualTo("a");
  }

  @Test
  void aRetryAfterTheTimeThatARefusalNamesFollowsAWriterThatHasDiedSince() {
    register.put(register.term().handedOver(OTHER));
    acquireLease();
    register.put(register.term().beaten());
    CompletableFuture<?> refused = tenancy.acquireLease().toCompletableFuture();
    assertThat(refused).isCompletedExceptionally();
    WriterPresentException why =
        (WriterPresentException) refused.handle((done, failure) -> failure.getCause()).join();

    pass(why.retryAfter().toNanos());
    acquireLease();

    assertThat(register.term().writer()).isEqualTo(SELF);
  }
}
