package io.ensemble.objects.sync.permit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.CallPosition;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Repeated claims: the lease of the last one applies. */
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
}
