package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.primary.Term;
import io.ensemble.stamp.WriterId;
import org.junit.jupiter.api.Test;

/** What a process does in its terms, and how it resigns as the writer. */
class WriterLeaseEndTest extends WriterLeaseFixture {

  @Test
  void whoBeginsATermRecoversAllKeysIntoItWhenNobodyTrustsTheFormerOne() {
    acquireLease();
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
  void whoActivatesATermSeesToItsRecoveryAndNotToLaterTermsOfOthers() {
    findLeasedTerm();
    register.put(register.term().succeeded("b", OTHER));
    pass(LEASES.leaseNanos());
    assertThat(findLeasedTerm()).isEmpty();
    pass(LEASES.outwaitNanos());
    assertThat(findLeasedTerm()).isPresent();
    pass(3 * LEASES.renewalNanos());
    assertThat(recoveries).extracting(Term::epoch).containsExactly(2L);
    recovered.get(0).complete(true);
    pass(3 * LEASES.renewalNanos());
    assertThat(register.term().isWhole()).isTrue();

    register.put(register.term().succeeded("c", OTHER).activated());
    got(terms.readLatest());
    int asked = register.reads;
    pass(10 * LEASES.outwaitNanos());

    assertThat(recoveries).hasSize(1);
    assertThat(register.reads).as("nobody uses the cache").isEqualTo(asked);
  }

  @Test
  void whoOnlyReadsDoesNotRecoverUnlessItIsAskedTo() {
    Term theirs = register.term().handedOver(OTHER);
    register.put(theirs);
    for (int i = 0; i < 10; i++) {
      findLeasedTerm();
      beatsOfAnother(LEASES.leaseNanos());
    }
    assertThat(recoveries).isEmpty();

    tenancy.takeResponsibility(register.term());
    pass(3 * LEASES.renewalNanos());

    assertThat(recoveries).extracting(Term::epoch).containsExactly(theirs.epoch());
  }

  @Test
  void whatWasRecoveredIntoATermSaysNothingOfTheNext() {
    acquireLease();
    pass(LEASES.outwaitNanos() + LEASES.renewalNanos());
    assertThat(recoveries).hasSize(1);
    Term next = register.term().succeeded("b", SELF);
    register.put(next);
    got(terms.readLatest());
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
    acquireLease();
    register.between = () -> register.put(register.term().beaten()); // A concurrent heartbeat.

    got(tenancy.resign());

    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    Term left = register.term();
    pass(10 * LEASES.renewalNanos());
    assertThat(register.term().beat()).isEqualTo(left.beat());
    assertThat(acquireLease().orElseThrow().term().epoch()).as("it may write again").isEqualTo(3);
  }

  @Test
  void whoGivesItsPlaceUpBeforeItsTermBeginsIsNoWriterInItEither() {
    register.put(register.term().handedOver(OTHER));
    acquireLease();
    pass(LEASES.outwaitNanos());
    assertThat(acquireLease()).isEmpty();
    Term pending = register.term();
    assertThat(pending.writer()).isEqualTo(SELF);
    assertThat(pending.active()).isFalse();

    got(tenancy.resign());

    assertThat(register.term()).isEqualTo(pending.released());
    pass(LEASES.outwaitNanos() + 2 * LEASES.renewalNanos());
    assertThat(register.term().active()).as("it begins without a writer").isTrue();
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    assertThat(acquireLease().orElseThrow().term().epoch()).isEqualTo(pending.epoch() + 1);
  }

  @Test
  void whoIsNotTheWriterGivesNothingUp() {
    register.put(register.term().handedOver(OTHER));
    Term theirs = register.term();
    findLeasedTerm();

    got(tenancy.resign());

    assertThat(register.term()).isEqualTo(theirs);
  }

  @Test
  void resigningIsRetriedAFewTimesWhileItsOutcomeIsUnknown() {
    acquireLease();
    register.unknown = 1;
    got(tenancy.resign());
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    assertThat(register.unknown).isZero();

    acquireLease();
    register.lost = 2;
    got(tenancy.resign());
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);

    acquireLease();
    register.lost = 3;
    assertThatThrownBy(() -> tenancy.resign().toCompletableFuture().join())
        .hasCauseInstanceOf(TermRecord.NotKnownException.class);
    assertThat(register.term().writer()).isEqualTo(SELF);
  }

  @Test
  void aNewTermForUnknownOutcomesHasTheSamePrimaryAndWriter() {
    Term own = acquireLease().orElseThrow().term();

    got(tenancy.beginNewTerm(own));

    assertThat(register.term()).isEqualTo(own.succeeded("a", SELF));
    Term later = register.term();
    got(tenancy.beginNewTerm(own));
    assertThat(register.term()).as("it was begun already").isEqualTo(later);
    register.unknown = 1;
    assertThat(tenancy.beginNewTerm(later)).isCompletedExceptionally();
  }

  @Test
  void whoClosesReleasesItsPlaceAndDoesNothingMore() {
    acquireLease();
    pass(LEASES.renewalNanos());

    tenancy.close();

    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    Term left = register.term();
    int asked = register.reads;
    pass(10 * LEASES.outwaitNanos());
    assertThat(register.term()).isEqualTo(left);
    assertThat(register.reads).isEqualTo(asked);
    assertThat(recoveries).isEmpty();
    assertThat(acquireLease()).as("it writes no more").isEmpty();
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
  }
}
