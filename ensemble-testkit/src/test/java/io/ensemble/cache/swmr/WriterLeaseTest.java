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
    LeasedTerm first = trusted().orElseThrow();
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
    LeasedTerm first = trusted().orElseThrow();
    pass(LEASES.leaseNanos());

    LeasedTerm next = trusted().orElseThrow();

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
    LeasedTerm begun = trusted().orElseThrow();

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

    LeasedTerm own = tenure().orElseThrow();

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
    assertThat(tenure()).as("perhaps it is dead").isEmpty();
    pass(LEASES.renewalNanos());
    assertThat(tenure()).isEmpty();
    register.put(register.term().beaten());

    assertThatThrownBy(() -> tenancy.tenure().toCompletableFuture().join())
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
    assertThat(tenure()).isEmpty();
    long asked = scheduler.nanos();
    pass(LEASES.renewalNanos());
    register.put(register.term().beaten());
    assertThat(tenancy.tenure()).isCompletedExceptionally();

    pass(asked + LEASES.leaseNanos() - 1 - scheduler.nanos());
    assertThat(tenancy.tenure()).isCompletedExceptionally();
    pass(1);
    assertThat(tenure()).as("perhaps it is dead").isEmpty();
  }

  /**
   * Only its own heartbeat shows that the writer lives: it may have died with the former primary.
   */
  @Test
  void whatAnybodyDoesToATermIsNoSignOfItsWritersLife() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    trusted();
    register.put(theirs.succeeded("b", OTHER));
    pass(LEASES.leaseNanos());
    assertThat(trusted()).isEmpty();
    pass(LEASES.outwaitNanos());
    trusted();
    assertThat(register.term().active()).isTrue();

    assertThat(tenure()).as("begun by this process").isEmpty();
    register.put(register.term().recoveredFirst());
    assertThat(tenure()).isEmpty();
    register.put(register.term().recovered());
    assertThat(tenure()).isEmpty();

    register.put(register.term().beaten());
    assertThat(tenancy.tenure()).isCompletedExceptionally();
  }

  @Test
  void aWriterThatComesLives() {
    trusted();
    register.put(register.term().handedOver(OTHER));

    assertThat(tenancy.tenure()).isCompletedExceptionally();
  }

  @Test
  void aRefusalUnderATermThatIsTrustedTellsThatAnotherWrites() {
    assertThat(isTold(REFUSED)).as("nothing is known").isFalse();
    trusted();
    assertThat(isTold(REFUSED)).as("nobody writes").isFalse();
    register.put(register.term().handedOver(OTHER));
    got(terms.look());
    assertThat(isTold(REFUSED)).isTrue();
    assertThat(isTold(new WriteOutcome.Unknown<>(REFUSED.why()))).isFalse();
    assertThat(isTold(new WriteOutcome.Applied<>(null, Stamp.NONE, true))).isFalse();

    pass(LEASES.leaseNanos());
    assertThat(isTold(REFUSED)).as("not trusted any more").isFalse();
    register.put(register.term().released().handedOver(SELF));
    got(terms.look());
    assertThat(isTold(REFUSED)).as("it writes itself").isFalse();
  }

  private boolean isTold(WriteOutcome<Void> outcome) {
    return tenancy
        .byType(outcome)
        .handle((same, failure) -> failure instanceof WriterPresentException)
        .toCompletableFuture()
        .join();
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
    tenure();
    register.put(register.term().beaten());
    CompletableFuture<?> refused = tenancy.tenure().toCompletableFuture();
    assertThat(refused).isCompletedExceptionally();
    WriterPresentException why =
        (WriterPresentException) refused.handle((done, failure) -> failure.getCause()).join();

    pass(why.retryAfter().toNanos());
    tenure();

    assertThat(register.term().writer()).isEqualTo(SELF);
  }
}
