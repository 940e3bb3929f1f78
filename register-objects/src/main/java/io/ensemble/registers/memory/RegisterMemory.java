package io.ensemble.registers.memory;

import io.ensemble.registers.algorithm.RegisterCell;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Atomic registers. Each access is linearizable, and ends by a deadline. Thread-safe. */
public interface RegisterMemory {

  /** How a write has ended. */
  enum Written {
    DONE,
    /** Certainly without effect; it may be repeated. */
    REFUSED,
    /** It may take effect at any later time. */
    UNKNOWN
  }

  /**
   * Reads a register; null if it was never written. A failed read has no effect and may be
   * repeated.
   */
  CompletionStage<@Nullable RegisterCell> read(String register);

  /** Reads registers, each on its own. Those that were never written are left out. */
  CompletionStage<Map<String, RegisterCell>> readAll(Collection<String> registers);

  /** Replaces the content of a register. */
  CompletionStage<Written> write(String register, RegisterCell cell);
}
