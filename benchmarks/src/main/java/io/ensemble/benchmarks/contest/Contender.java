package io.ensemble.benchmarks.contest;

import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * One of the compared systems.
 *
 * @param name its name in results
 * @param operation executes one operation and waits for its end; receives a number that counts up
 *     from 0 over all threads and slices; called by many threads
 * @param settle returns when the background work of the operations has ended
 * @param writes whether the operation of that number is a write; others are reads
 */
public record Contender(
    String name, LongConsumer operation, Runnable settle, LongPredicate writes) {

  /** A contender whose operations are all of one kind. */
  public Contender(String name, LongConsumer operation, Runnable settle) {
    this(name, operation, settle, number -> false);
  }

  /** A contender without background work. */
  public Contender(String name, LongConsumer operation) {
    this(name, operation, () -> {});
  }
}
