package io.ensemble.registers.algorithm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a process does next. Only reads and writes touch registers, one register at a time. */
public sealed interface Move {

  /** Reads a register. */
  record Read(String register, Frame then) implements Move {}

  /** Reads registers, each on its own and in any order. At least one. */
  record ReadAll(List<String> registers, Frame then) implements Move {
    public ReadAll {
      registers = List.copyOf(registers);
    }
  }

  /** Replaces the content of a register. */
  record Write(String register, RegisterCell cell, Frame then) implements Move {}

  /** Executes an operation of a lower object, whose result is the answer. */
  record Call(Frame callee, Frame then) implements Move {}

  /** Ends the operation. */
  record Return(@Nullable Object result) implements Move {}

  /**
   * Others were met. Going on at once is correct; waiting a random time lets one of them finish.
   */
  record Contended(Frame then) implements Move {}
}
