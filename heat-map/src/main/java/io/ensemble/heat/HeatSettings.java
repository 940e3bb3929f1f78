package io.ensemble.heat;

import java.time.Duration;

/**
 * The bounds of a {@link HeatRecorder}.
 *
 * @param window the time that one set of sketches covers; in [1 s, 1 h]
 * @param retention how long a published window is kept; at least one window, at most 7 d and 10,000
 *     windows
 * @param caches how many caches are recorded in one window, the first ones that are used; in [1,
 *     1000]. The operations on further caches are only counted
 */
public record HeatSettings(Duration window, Duration retention, int caches) {

  /** Windows of one minute, kept for two hours, of 64 caches. */
  public static final HeatSettings DEFAULT =
      new HeatSettings(Duration.ofMinutes(1), Duration.ofHours(2), 64);

  private static final int MOST_WINDOWS = 10_000;

  /**
   * @throws IllegalArgumentException if a value is out of range
   */
  public HeatSettings {
    require(
        window.compareTo(Duration.ofSeconds(1)) >= 0 && window.compareTo(Duration.ofHours(1)) <= 0,
        "window must be in [1 s, 1 h]; got " + window);
    require(
        retention.compareTo(window) >= 0
            && retention.compareTo(Duration.ofDays(7)) <= 0
            && retention.dividedBy(window) <= MOST_WINDOWS,
        "retention must be in [one window, 7 d], and at most %,d windows; got %s of windows of %s"
            .formatted(MOST_WINDOWS, retention, window));
    require(caches >= 1 && caches <= 1000, "recorded caches must be in [1, 1000]; got " + caches);
  }

  /** The same settings with windows of another length. */
  public HeatSettings withWindow(Duration other) {
    return new HeatSettings(other, retention, caches);
  }

  /** The same settings with another retention. */
  public HeatSettings withRetention(Duration other) {
    return new HeatSettings(window, other, caches);
  }

  /** The same settings with another bound on caches. */
  public HeatSettings withCaches(int most) {
    return new HeatSettings(window, retention, most);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
