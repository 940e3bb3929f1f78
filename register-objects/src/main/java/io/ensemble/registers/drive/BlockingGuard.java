package io.ensemble.registers.drive;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses blocking calls where they would wait for themselves: on threads that carry out the
 * accesses of the cache, and inside an operation on a state.
 */
public final class BlockingGuard {

  private static final ThreadLocal<Boolean> INSIDE = ThreadLocal.withInitial(() -> false);

  private final Runnable check;

  /**
   * @param check throws an {@link IllegalStateException} on a thread of the cache
   */
  public BlockingGuard(Runnable check) {
    this.check = check;
  }

  /**
   * Does nothing where a blocking call may be made.
   *
   * @throws IllegalStateException where it may not; use the asynchronous method there
   */
  public void refuse() {
    if (INSIDE.get()) {
      throw new IllegalStateException(
          "a blocking method was called inside an operation, which would wait for itself");
    }
    check.run();
  }

  /** Applies an operation on a state. */
  static <T extends @Nullable Object> T inside(Supplier<T> operation) {
    boolean before = INSIDE.get();
    INSIDE.set(true);
    try {
      return operation.get();
    } finally {
      INSIDE.set(before);
    }
  }
}
