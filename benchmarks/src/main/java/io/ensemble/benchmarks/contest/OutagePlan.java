package io.ensemble.benchmarks.contest;

import io.ensemble.Mode;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * How to measure what a failure costs.
 *
 * @param modes in which to measure
 * @param kills what to kill, each in a run of its own
 * @param perSecond operations begun each second
 * @param seconds how long they are
 * @param killAtSecond when it is killed
 * @param figures where pictures go
 */
public record OutagePlan(
    List<Mode> modes,
    List<Kill> kills,
    int perSecond,
    int seconds,
    int killAtSecond,
    Path figures) {

  /**
   * @throws IllegalArgumentException if nothing would be left after the kill, or nothing begun
   */
  public OutagePlan {
    modes = List.copyOf(modes);
    kills = List.copyOf(kills);
    if (perSecond < 1 || killAtSecond < 1 || killAtSecond >= seconds) {
      throw new IllegalArgumentException(
          "a run begins operations, and kills before it ends; rate=%d kill at=%d seconds=%d"
              .formatted(perSecond, killAtSecond, seconds));
    }
  }

  /** What is killed. */
  public enum Kill {
    /** For comparison. */
    NOTHING,
    /** One node of the local site. */
    NODE,
    /** All nodes of the local site, which is the primary where there is one. */
    SITE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
