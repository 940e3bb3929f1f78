package io.ensemble.cache.mwmr;

/** What tests may know of an engine that users may not. */
public final class Inside {

  private Inside() {}

  /** How many keys have a writer under way. */
  public static int busyKeys(MwmrEngine engine) {
    return engine.busyKeys();
  }

  /** How many calls wait for something else than an answer. */
  public static int waiting(MwmrEngine engine) {
    return engine.waiting();
  }
}
