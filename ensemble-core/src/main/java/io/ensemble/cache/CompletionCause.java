package io.ensemble.cache;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Unwraps the exceptions that futures put around the cause of a failure. */
public final class CompletionCause {

  private CompletionCause() {}

  /**
   * The first cause that is not a wrapper of a future; {@code failure} itself when it is no
   * wrapper.
   */
  public static Throwable of(Throwable failure) {
    Throwable inner = failure;
    while (inner instanceof CompletionException || inner instanceof ExecutionException) {
      Throwable cause = inner.getCause();
      if (cause == null) {
        return inner;
      }
      inner = cause;
    }
    return inner;
  }
}
