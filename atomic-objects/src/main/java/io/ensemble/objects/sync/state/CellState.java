package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a reference and a register are: one value, or none. */
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

  /** Gives what was there before, which is {@code expected} if {@code next} is there now. */
  public @Nullable EncodedValue swap(@Nullable EncodedValue expected, @Nullable EncodedValue next) {
    EncodedValue before = value;
    if (Objects.equals(before, expected)) {
      value = next;
    }
    return before;
  }
}
