package io.ensemble.benchmarks.measure;

import java.util.function.LongConsumer;

/**
 * One of two that are compared.
 *
 * @param name in results
 * @param operation one operation, waited for; told a number that counts up from 0 over all threads
 *     and slices; called by many threads
 * @param settle returns when what the operations have left to do in the background is done
 */
record Contender(String name, LongConsumer operation, Runnable settle) {

  /** One that leaves nothing to do. */
  Contender(String name, LongConsumer operation) {
    this(name, operation, () -> {});
  }
}
