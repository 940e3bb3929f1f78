package io.ensemble.objects.proxy;

import java.util.concurrent.CompletionStage;

/** One opened object, to which its proxy sends calls. Thread-safe. */
public interface CallTarget {

  /**
   * Sends a call, and waits for its outcome.
   *
   * @param readOnly whether the method is declared to change nothing
   * @return the bytes of the outcome
   */
  byte[] call(byte[] call, boolean readOnly);

  /** As {@link #call}, without waiting. */
  CompletionStage<byte[]> callAsync(byte[] call, boolean readOnly);

  /** The object's name. */
  String name();

  /** The name of the type of the object. */
  String type();

  /** Whether the other target belongs to the same object, opened by the same factory. */
  boolean same(CallTarget other);
}
