package io.ensemble.deploy.demo;

/** What was found is not what must be there. */
final class VerificationFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  VerificationFailure(String what) {
    super(what);
  }
}
