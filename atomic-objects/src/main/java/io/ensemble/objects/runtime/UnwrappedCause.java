package io.ensemble.objects.runtime;

import java.util.concurrent.CompletionException;

/** What a stage failed with. */
public final class UnwrappedCause {

  private UnwrappedCause() {}

  /** Without what a later stage has wrapped around it. */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
