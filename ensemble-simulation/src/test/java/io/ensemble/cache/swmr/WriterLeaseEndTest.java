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
  void whoActivatesATermSeesToItsRecoveryAndNotToLaterTermsOfOthers() {
    trusted();
    register.put(register.term().succeeded("b", OTHER));
    pass(LEASES.leaseNanos());
    assertThat(trusted()).isEmpty();
    pass(LEASES.outwaitNanos());
    assertThat(trusted()).isPresent();
    pass(3 * LEASES.renewalNanos());
    assertThat(recoveries).extracting(Term::epoch).containsExactly(2L);
    recovered.get(0).complete(true);
    pass(3 * LEASES.renewalNanos());
    assertThat(register.term().isWhole()).isTrue();

    register.put(register.term().succeeded("c", OTHER).activated());
    got(terms.look());
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
    register.between = () -> register.put(register.term().beaten()); // A concurrent heartbeat.

    got(tenancy.resign());

    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    Term left = register.term();
    pass(10 * LEASES.renewalNanos());
    assertThat(register.term().beat()).isEqualTo(left.beat());
    assertThat(tenure().orElseThrow().term().epoch()).as("it may write again").isEqualTo(3);
  }

  @Test
  void whoGivesItsPlaceUpBeforeItsTermBeginsIsNoWriterInItEither() {
    register.put(register.term().handedOver(OTHER));
    tenure();
    pass(LEASES.outwaitNanos());
    assertThat(tenure()).isEmpty();
    Term pending = register.term();
    assertThat(pending.writer()).isEqualTo(SELF);
    assertThat(pending.active()).isFalse();

    got(tenancy.resign());

    assertThat(register.term()).isEqualTo(pending.released());
    pass(LEASES.outwaitNanos() + 2 * LEASES.renewalNanos());
    assertThat(register.term().active()).as("it begins without a writer").isTrue();
    assertThat(register.term().writer()).isEqualTo(WriterId.NONE);
    assertThat(tenure().orElseThrow().term().epoch()).isEqualTo(pending.epoch() + 1);
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
  void resigningIsRetriedAFewTimesWhileItsOutcomeIsUnknown() {
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
        .hasCauseInstanceOf(TermRecord.NotKnownException.class);
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
