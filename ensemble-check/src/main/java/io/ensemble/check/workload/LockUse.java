package io.ensemble.check.workload;

import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.Grant;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A client of a lock. In the history the lock is a register that holds the token of its owner. An
 * acquisition of unknown outcome is recorded under a number that is not a token.
 */
final class LockUse implements ObjectUse {
  private static final Duration WAIT = Duration.ofMillis(700);
  private static final Duration LAST_WAIT = Duration.ofSeconds(30);

  private final FencedLock lock;
  private @Nullable Grant held;

  /** The token of the grant held; a grant that has been lost no longer reports it. */
  private long token;

  LockUse(FencedLock lock) {
    this.lock = lock;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    Grant grant = held;
    if (grant == null) {
      return acquire(fresh, random.nextBoolean() ? Duration.ZERO : WAIT);
    }
    held = null; // Whatever the outcome of the release.
    return ObjectCall.of("cas", Arrays.asList(token, null), grant::release);
  }

  @Override
  public boolean holds() {
    return held != null;
  }

  private ObjectCall acquire(long fresh, Duration wait) {
    return ObjectCall.of("cas", Arrays.asList(null, -fresh), () -> acquireLock(wait));
  }

  private Object acquireLock(Duration wait) {
    try {
      Optional<Grant> grant = lock.acquire(wait);
      if (grant.isEmpty()) {
        return ObjectCall.MissingAnswer.REFUSED;
      }
      Grant acquiredGrant = grant.get();
      token = acquiredGrant.token();
      held = acquiredGrant;
      return new ObjectCall.ArgumentAndResult(Arrays.asList(null, token), true);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for a lock", e);
    }
  }

  @Override
  public ObjectCall last() {
    return acquire(Long.MAX_VALUE, LAST_WAIT);
  }
}
