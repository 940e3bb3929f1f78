package io.ensemble.objects;

/** Failures of calls, for tests elsewhere that play a store. */
public final class CallFailures {

  private CallFailures() {}

  public static RuntimeException unknown() {
    return new AtomicObjectException.CallUnknown("played", "test");
  }

  public static RuntimeException refused() {
    return new AtomicObjectException.CallRefused("played", "test");
  }
}
