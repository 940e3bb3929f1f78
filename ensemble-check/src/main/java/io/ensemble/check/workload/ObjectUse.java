package io.ensemble.check.workload;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The operations of one client on one object. Used by one thread. */
public interface ObjectUse {

  /**
   * The next call.
   *
   * @param fresh a value that was never used
   */
  ObjectCall next(SplittableRandom random, long fresh);

  /** The call has returned, with that result. */
  default void returned(ObjectCall call, @Nullable Object result) {}

  /** Whether this client holds a grant that others may wait for, which {@link #next} releases. */
  default boolean holds() {
    return false;
  }

  /** A call that shows the object's state when all others have ended. */
  ObjectCall last();

  /** Whether {@link #last} is to be called once more, after that result. */
  default boolean hasMore(@Nullable Object result) {
    return false;
  }
}
