package io.ensemble.registers.algorithm;

import org.jspecify.annotations.Nullable;

/**
 * A process within one operation of an algorithm over registers, as an immutable value: equal
 * frames go on in the same way. Frames decide only; their driver reads and writes the registers.
 */
public interface Frame {

  /**
   * Goes on with the answer to the last move, and decides the next one. The answer is the {@link
   * RegisterCell} that was read, or null if the register was never written; a map of registers to
   * cells after {@link Move.ReadAll}; the result after {@link Move.Call}; null after {@link
   * Move.Write} and at the beginning.
   */
  Move resume(@Nullable Object answer);
}
