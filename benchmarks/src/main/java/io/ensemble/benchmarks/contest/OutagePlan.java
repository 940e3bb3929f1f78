package io.ensemble.benchmarks.contest;

import io.ensemble.Mode;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The plan for measurements of the cost of a failure.
 *
 * @param modes the modes to measure
 * @param kills the targets of kills, each in a run of its own
 * @param perSecond operations begun each second
 * @param seconds the length of a run
 * @param killAtSecond the time of the kill
 * @param figures the directory for pictures
 */
public record OutagePlan(
    List<Mode> modes,
    List<Kill> kills,
    int perSecond,
    int seconds,
    int killAtSecond,
    Path figures) {

  /**
   * @throws IllegalArgumentException if no time is left after the kill, or no operations are begun
   */
  public OutagePlan {
    modes = List.copyOf(modes);
    kills = List.copyOf(kills);
    if (perSecond < 1 || killAtSecond < 1 || killAtSecond >= seconds) {
      throw new IllegalArgumentException(
          "a run must begin operations, and kill before it ends; rate=%d kill at=%d seconds=%d"
              .formatted(perSecond, killAtSecond, seconds));
    }
  }

  /** The target of a kill. */
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
