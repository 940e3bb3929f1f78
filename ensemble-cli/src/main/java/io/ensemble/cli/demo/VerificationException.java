package io.ensemble.cli.demo;

/** What was found is not what must be there. */
final class VerificationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  VerificationException(String what) {
    super(what);
  }
}
