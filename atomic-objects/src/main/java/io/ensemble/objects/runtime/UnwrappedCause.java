package io.ensemble.objects.runtime;

import java.util.concurrent.CompletionException;

/** The original failure of a stage. */
public final class UnwrappedCause {

  private UnwrappedCause() {}

  /** Removes the wrapper that a later stage has added. */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
