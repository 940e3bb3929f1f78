package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a reference and a register are: one value, or none. */
class CellState {

  private @Nullable Item value;

  @ReadOnly
  public @Nullable Item get() {
    return value;
  }

  public @Nullable Item set(@Nullable Item next) {
    Item before = value;
    value = next;
    return before;
  }

  /** Gives what was there before, which is {@code expected} if {@code next} is there now. */
  public @Nullable Item swap(@Nullable Item expected, @Nullable Item next) {
    Item before = value;
    if (Objects.equals(before, expected)) {
      value = next;
    }
    return before;
  }
}
