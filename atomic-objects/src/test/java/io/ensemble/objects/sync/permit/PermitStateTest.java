package io.ensemble.objects.sync.permit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.CallPosition;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Repeated claims, and rounds of the queue. */
class PermitStateTest {

  private static final UUID FIRST = new UUID(0, 1);
  private static final UUID SECOND = new UUID(0, 2);

  private final PermitState lock = new PermitState();

  private PermitStatus claim(long position, UUID holder, long leaseMillis) {
    return CallPosition.as(position, () -> lock.claim(holder, 1, leaseMillis, true));
  }

  @Test
  void whoClaimsAgainHasTheLeaseThatItAskedForLast() {
    long token = claim(7, FIRST, 10_000).token();

    assertThat(claim(8, FIRST, 60_000).token()).isEqualTo(token);

    assertThat(lock.holders()).extracting(PermitHolder::leaseMillis).containsExactly(60_000L);
  }

  @Test
  void soDoesWhoWaitsWhenItIsItsTurn() {
    claim(7, FIRST, 10_000);
    claim(8, SECOND, 10_000);
    claim(9, SECOND, 60_000);

    CallPosition.as(10, () -> lock.release(FIRST));

    assertThat(lock.holders()).extracting(PermitHolder::leaseMillis).containsExactly(60_000L);
  }

  @Test
  void aRoundRemovesRequestsThatHaveNotShownThemselvesInIt() {
    UUID third = new UUID(0, 3);
    claim(7, FIRST, 10_000);
    claim(8, SECOND, 10_000);
    claim(9, third, 10_000);

    lock.endRound(third, 0);
    assertThat(lock.waiting()).as("both asked in the round that has ended").isEqualTo(2);
    lock.endRound(third, 0);
    assertThat(lock.look(third).round().number()).as("a repetition ends no round").isEqualTo(1);
    assertThat(lock.look(SECOND).round().shown()).isFalse();
    lock.endRound(third, 1);

    assertThat(lock.look(SECOND).place()).isEqualTo(PermitStatus.Place.NONE);
    assertThat(lock.look(third).place()).isEqualTo(PermitStatus.Place.WAITS);
    assertThat(lock.look(third).round().shown()).isTrue();
  }

  @Test
  void aRequestThatShowsItselfKeepsItsPlace() {
    UUID third = new UUID(0, 3);
    claim(7, FIRST, 10_000);
    claim(8, SECOND, 10_000);
    claim(9, third, 10_000);

    for (int round = 0; round < 5; round++) {
      lock.stay(SECOND);
      lock.endRound(third, round);
    }
    CallPosition.as(10, () -> lock.release(FIRST));

    assertThat(lock.look(SECOND).place()).isEqualTo(PermitStatus.Place.HOLDS);
    assertThat(lock.look(third).place()).isEqualTo(PermitStatus.Place.WAITS);
  }

  @Test
  void aRequestBehindARemovedOneIsGrantedAtOnce() {
    PermitState semaphore = new PermitState(2);
    CallPosition.as(1, () -> semaphore.ask(FIRST, 1, 10_000, true, ""));
    CallPosition.as(2, () -> semaphore.ask(SECOND, 2, 10_000, true, ""));
    UUID third = new UUID(0, 3);
    CallPosition.as(3, () -> semaphore.ask(third, 1, 10_000, true, ""));

    semaphore.endRound(third, 0);
    CallPosition.as(
        4,
        () -> {
          semaphore.endRound(third, 1);
          return third;
        });

    assertThat(semaphore.look(third).place()).isEqualTo(PermitStatus.Place.HOLDS);
  }
}
