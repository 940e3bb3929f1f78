package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of a reference and a register: one value, or none. */
public class CellState {

  private @Nullable EncodedValue value;

  @ReadOnly
  public @Nullable EncodedValue get() {
    return value;
  }

  public @Nullable EncodedValue set(@Nullable EncodedValue next) {
    EncodedValue before = value;
    value = next;
    return before;
  }

  /** Returns the previous value, which is {@code expected} if {@code next} was set. */
  public @Nullable EncodedValue swap(@Nullable EncodedValue expected, @Nullable EncodedValue next) {
    EncodedValue before = value;
    if (Objects.equals(before, expected)) {
      value = next;
    }
    return before;
  }
}
