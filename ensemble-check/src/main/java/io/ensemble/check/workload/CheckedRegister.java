package io.ensemble.check.workload;

import io.ensemble.objects.ReadOnly;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One value, or none. */
public class CheckedRegister {
  private @Nullable Long value;

  /** Creates a register without value. */
  public CheckedRegister() {}

  /** The value; null for none. */
  @ReadOnly
  public @Nullable Long read() {
    return value;
  }

  /** Whether there is a value. */
  @ReadOnly
  public boolean isPresent() {
    return value != null;
  }

  /** Sets the value, and returns the former one. */
  public @Nullable Long swap(@Nullable Long fresh) {
    Long old = value;
    value = fresh;
    return old;
  }

  /** Sets the value. */
  public void write(@Nullable Long fresh) {
    value = fresh;
  }

  /** Sets the value if there is none. */
  public boolean writeIfAbsent(long fresh) {
    return compareAndSet(null, fresh);
  }

  /** Sets the value if there is one. */
  public boolean replace(long fresh) {
    if (value == null) {
      return false;
    }
    value = fresh;
    return true;
  }

  /** Sets the value if it is as expected; null for none. */
  public boolean compareAndSet(@Nullable Long expected, @Nullable Long fresh) {
    if (!Objects.equals(value, expected)) {
      return false;
    }
    value = fresh;
    return true;
  }
}
