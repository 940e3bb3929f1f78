package io.ensemble.versioning.listen;

import java.util.concurrent.CompletionException;

/** What stages fail with. */
final class Failures {

  private Failures() {}

  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }
}
