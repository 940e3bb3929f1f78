package io.ensemble.objects.proxy;

import java.util.concurrent.CompletionStage;

/** One opened object, as its proxy sees it: has calls applied. Thread-safe. */
public interface CallTarget {

  /**
   * Has a call applied, and waits for its outcome.
   *
   * @param readOnly whether the method is declared to change nothing
   * @return the outcome's bytes
   */
  byte[] call(byte[] call, boolean readOnly);

  /** As {@link #call}, without waiting. */
  CompletionStage<byte[]> callAsync(byte[] call, boolean readOnly);

  /** The object's name. */
  String name();

  /** The name of its type. */
  String type();

  /** Whether the other one is of the same object, opened from the same place. */
  boolean same(CallTarget other);
}
