package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * An operation on the state of an object. Deterministic and without effects: it may be applied any
 * number of times, and only one of its results counts.
 */
@FunctionalInterface
public interface Operation {

  /** The next state, equal to the present one if nothing changes, and what the caller gets. */
  record Effect(Bytes state, @Nullable Object result) {}

  Effect apply(Bytes state);
}
