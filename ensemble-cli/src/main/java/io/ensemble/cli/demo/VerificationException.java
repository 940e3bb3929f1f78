package io.ensemble.cli.demo;

/** The findings differ from the expected ones. */
final class VerificationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  VerificationException(String what) {
    super(what);
  }
}
