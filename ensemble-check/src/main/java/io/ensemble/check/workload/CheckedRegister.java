package io.ensemble.check.workload;

import io.ensemble.objects.ReadOnly;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One value, or none. */
public class CheckedRegister {
  private @Nullable Long value;

  /** Holds nothing. */
  public CheckedRegister() {}

  /** What it holds; null for nothing. */
  @ReadOnly
  public @Nullable Long read() {
    return value;
  }

  /** Whether it holds anything. */
  @ReadOnly
  public boolean isPresent() {
    return value != null;
  }

  /** Sets it, and gives what it held. */
  public @Nullable Long swap(@Nullable Long fresh) {
    Long old = value;
    value = fresh;
    return old;
  }

  /** Sets it. */
  public void write(@Nullable Long fresh) {
    value = fresh;
  }

  /** Sets it if it holds nothing. */
  public boolean writeIfAbsent(long fresh) {
    return compareAndSet(null, fresh);
  }

  /** Sets it if it holds anything. */
  public boolean replace(long fresh) {
    if (value == null) {
      return false;
    }
    value = fresh;
    return true;
  }

  /** Sets it if it holds what is expected; null for nothing. */
  public boolean compareAndSet(@Nullable Long expected, @Nullable Long fresh) {
    if (!Objects.equals(value, expected)) {
      return false;
    }
    value = fresh;
    return true;
  }
}
