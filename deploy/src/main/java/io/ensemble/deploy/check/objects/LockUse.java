package io.ensemble.deploy.check.objects;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client of a lock: it acquires it each time as another owner, and releases it. From an owner
 * whom it has seen for longer than a lease it takes the lock away, for that client may be dead.
 */
final class LockUse implements ObjectUse {
  private static final long LEASE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CheckedLock lock;
  private @Nullable Long own;
  private @Nullable Long seen;
  private long since;

  LockUse(CheckedLock lock) {
    this.lock = lock;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    Long held = own;
    if (held != null) {
      return random.nextInt(4) == 0 ? last() : release(held);
    }
    Long other = seen;
    if (other != null && System.nanoTime() - since > LEASE_NANOS) {
      return release(other);
    }
    return other != null || random.nextInt(5) == 0 ? last() : acquire(fresh);
  }

  private ObjectCall acquire(long owner) {
    return ObjectCall.of("cas", Arrays.asList(null, owner), () -> lock.acquire(owner));
  }

  private ObjectCall release(long owner) {
    return ObjectCall.of("cas", Arrays.asList(owner, null), () -> lock.release(owner));
  }

  @Override
  public void returned(ObjectCall call, @Nullable Object result) {
    if (call.op().equals("read")) {
      if (!Objects.equals(result, seen) || result == null) {
        since = System.nanoTime();
      }
      seen = Objects.equals(result, own) ? null : (Long) result;
      return;
    }
    boolean acquiring = ((List<?>) Objects.requireNonNull(call.in(), "of a cas")).get(0) == null;
    own = acquiring && Boolean.TRUE.equals(result) ? (Long) taken(call) : null;
    seen = null;
  }

  private static @Nullable Object taken(ObjectCall acquiring) {
    return ((List<?>) Objects.requireNonNull(acquiring.in(), "of a cas")).get(1);
  }

  @Override
  public ObjectCall last() {
    return ObjectCall.of("read", null, lock::owner);
  }
}
