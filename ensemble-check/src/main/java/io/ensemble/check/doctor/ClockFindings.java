package io.ensemble.check.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether clocks agree: of the nodes of sites, of the processes that maintain sites, and of this
 * process.
 *
 * <p>Guarantees use the clocks of clients only: a process rejects stored times that are more than
 * the maximum clock skew ahead. The clock of a node counts for its log and its certificates.
 */
public final class ClockFindings {

  /** The default of {@code EnsembleCacheManagerBuilder.maxClockSkew}. */
  static final Duration MAX_SKEW = Duration.ofMinutes(1);

  /** From here on clocks should be set. */
  static final Duration NOTICEABLE = Duration.ofSeconds(5);

  static final String CHECK = "clocks";
  private static final String PAGE = "docs/operations.md#clocks";

  private ClockFindings() {}

  /**
   * The findings about nodes: of each against this process, then of each pair of nodes that differ
   * by more than this process can explain.
   */
  public static List<Finding> ofNodes(List<ClockReading> nodes) {
    List<Finding> findings = new ArrayList<>();
    nodes.forEach(node -> findings.add(of(node, node.certain(), "of this process", false)));
    for (int i = 0; i < nodes.size(); i++) {
      for (int j = i + 1; j < nodes.size(); j++) {
        Duration ahead = nodes.get(i).certainAheadOf(nodes.get(j));
        if (ahead.abs().compareTo(NOTICEABLE) >= 0) {
          findings.add(of(nodes.get(i), ahead, "of " + nodes.get(j).subject(), false));
        }
      }
    }
    return findings;
  }

  /** The finding about a process that writes: the maximum clock skew applies to it. */
  public static Finding ofProcess(ClockReading process) {
    return of(process, process.certain(), "of this process", true);
  }

  /** The finding about a clock that cannot be read. */
  public static Finding unknown(String subject, String why) {
    return Finding.notChecked(CHECK, subject, why, "compare 'date -u' on its machine; see " + PAGE);
  }

  private static Finding of(ClockReading clock, Duration ahead, String whose, boolean writes) {
    Duration skew = ahead.abs();
    String seen =
        skew.isZero()
            ? "agrees with the clock %s within %s"
                .formatted(whose, seconds(clock.most().minus(clock.least())))
            : "%s %s the clock %s"
                .formatted(seconds(skew), ahead.isNegative() ? "behind" : "ahead of", whose);
    if (skew.compareTo(NOTICEABLE) < 0) {
      return Finding.ok(CHECK, clock.subject(), seen);
    }
    String remedy = "set the clock by NTP; see " + PAGE;
    return writes && skew.compareTo(MAX_SKEW) >= 0
        ? Finding.error(CHECK, clock.subject(), seen + "; the maximum clock skew is 60 s", remedy)
        : Finding.warning(CHECK, clock.subject(), seen, remedy);
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
  }
}
