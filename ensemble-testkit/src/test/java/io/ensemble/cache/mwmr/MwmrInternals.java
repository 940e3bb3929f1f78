package io.ensemble.cache.mwmr;

import java.util.Set;

/** What tests may know of an engine that users may not. */
public final class MwmrInternals {

  /** After how many reads of a majority a client has read from all sites at least once. */
  public static final int FULL_READS = AnswerTimes.FULL_READS;

  private MwmrInternals() {}

  /** How many keys have a writer under way. */
  public static int busyKeys(MwmrEngine engine) {
    return engine.busyKeys();
  }

  /** The sites whose last sweep or refill failed. */
  public static Set<String> failing(MwmrEngine engine) {
    return engine.failing();
  }

  /** How many calls wait for something else than an answer. */
  public static int waiting(MwmrEngine engine) {
    return engine.waiting();
  }
}
