package io.ensemble.objects;

/** Failures of calls, for tests of other packages that emulate a store. */
public final class CallFailures {

  private CallFailures() {}

  public static RuntimeException unknown() {
    return new AtomicObjectException.CallUnknown("played", "test");
  }

  public static RuntimeException refused() {
    return new AtomicObjectException.CallRefused("played", "test");
  }
}
