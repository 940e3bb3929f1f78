package io.ensemble.check.workload;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** What one client does with one object. One thread uses it. */
public interface ObjectUse {

  /**
   * The next call.
   *
   * @param fresh a value that nobody has used
   */
  ObjectCall next(SplittableRandom random, long fresh);

  /** The call has returned, with that result. */
  default void returned(ObjectCall call, @Nullable Object result) {}

  /** Whether this client holds something that others may wait for, which {@link #next} gives up. */
  default boolean holds() {
    return false;
  }

  /** What shows the object's state when all others have ended. */
  ObjectCall last();

  /** Whether {@link #last} is to be called once more, after that result. */
  default boolean goesOn(@Nullable Object result) {
    return false;
  }
}
