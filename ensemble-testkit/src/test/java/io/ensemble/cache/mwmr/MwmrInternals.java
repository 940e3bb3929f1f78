package io.ensemble.cache.mwmr;

import java.util.Set;

/** Gives tests access to package-private parts of the engine. */
public final class MwmrInternals {

  /** The number of majority reads after which a client has read from all sites at least once. */
  public static final int FULL_READS = AnswerTimes.FULL_READS;

  private MwmrInternals() {}

  /** The number of keys with a write in progress. */
  public static int busyKeys(MwmrEngine engine) {
    return engine.busyKeys();
  }

  /** The sites whose last sweep or refill failed. */
  public static Set<String> failing(MwmrEngine engine) {
    return engine.failing();
  }

  /** The number of calls that wait for something other than an answer. */
  public static int waiting(MwmrEngine engine) {
    return engine.waiting();
  }
}
