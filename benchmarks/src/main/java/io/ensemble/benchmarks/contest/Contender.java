package io.ensemble.benchmarks.contest;

import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/**
 * One of those that are compared.
 *
 * @param name in results
 * @param operation one operation, waited for; told a number that counts up from 0 over all threads
 *     and slices; called by many threads
 * @param settle returns when what the operations have left to do in the background is done
 * @param writes whether the operation of that number is a write; others are reads
 */
public record Contender(
    String name, LongConsumer operation, Runnable settle, LongPredicate writes) {

  /** One whose operations are all of one kind. */
  public Contender(String name, LongConsumer operation, Runnable settle) {
    this(name, operation, settle, number -> false);
  }

  /** One that leaves nothing to do. */
  public Contender(String name, LongConsumer operation) {
    this(name, operation, () -> {});
  }
}
