package io.ensemble.cache;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What really happened, out of the wrappers that futures put around it. */
public final class CompletionCause {

  private CompletionCause() {}

  /** The first cause that is not a future's wrapper; {@code failure} itself when it is none. */
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
