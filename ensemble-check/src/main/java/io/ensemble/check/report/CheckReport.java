package io.ensemble.check.report;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended.
 *
 * @param ok whether the guarantee held, enough operations were answered and nothing else was wrong
 * @param mode the mode, as it is typed
 * @param seed what to run again
 * @param sites the sites' names
 * @param guarantee what was judged
 * @param verdict held, violated or undecided
 * @param operations counts of them
 * @param seconds how long the clients worked
 * @param faults how often each kind was injected
 * @param refilled how often a site that had lost its memory was refilled
 * @param givenUp how often a store that refused for good had to be given up for that
 * @param oneSiteDead what clients got while one site was dead
 * @param lines what the lines to sites that are not near were measured to give
 * @param problems all that was wrong, in words; empty when ok
 * @param violation null if there is none
 * @param report the directory that holds the history and the rest; null if nothing was kept
 */
public record CheckReport(
    boolean ok,
    String mode,
    long seed,
    List<String> sites,
    String guarantee,
    String verdict,
    Operations operations,
    double seconds,
    Map<String, Long> faults,
    long refilled,
    long givenUp,
    Availability oneSiteDead,
    List<SiteLinkReport> lines,
    List<String> problems,
    @Nullable Violation violation,
    @Nullable String report) {

  /** Copies the collections. */
  public CheckReport {
    sites = List.copyOf(sites);
    lines = List.copyOf(lines);
    problems = List.copyOf(problems);
  }

  /** How often each kind of fault was injected. */
  public String faultsInWords() {
    return faults.isEmpty()
        ? "none"
        : faults.entrySet().stream()
            .map(count -> count.getKey() + " " + count.getValue())
            .collect(Collectors.joining(", "));
  }

  /** The same, kept in that directory. */
  public CheckReport keptIn(@Nullable String directory) {
    return new CheckReport(
        ok,
        mode,
        seed,
        sites,
        guarantee,
        verdict,
        operations,
        seconds,
        faults,
        refilled,
        givenUp,
        oneSiteDead,
        lines,
        problems,
        violation,
        directory);
  }

  /**
   * How many operations there were.
   *
   * @param asked how many were asked for
   * @param recorded how many stand in the history, final reads among them
   * @param completed how many the clients had an answer to
   * @param enough how many had to have one
   * @param refused how many certainly had no effect
   * @param unknown how many may have had one
   */
  public record Operations(
      long asked, long recorded, long completed, long enough, long refused, long unknown) {

    /** Those of a history that tells how each one ended. */
    public static Operations of(long asked, OperationHistory history, long enough) {
      Map<HistoryOutcome, Long> ended =
          history.operations().stream()
              .collect(Collectors.groupingBy(HistoryOperation::outcome, Collectors.counting()));
      return new Operations(
          asked,
          history.operations().size(),
          ended.getOrDefault(HistoryOutcome.OK, 0L),
          enough,
          ended.getOrDefault(HistoryOutcome.REFUSED, 0L),
          ended.getOrDefault(HistoryOutcome.UNKNOWN, 0L));
    }
  }

  /**
   * What contradicts the guarantee.
   *
   * @param key the key
   * @param line the line of the history that made it impossible
   * @param operation what stands there
   * @param explanation in words, with the operations around it
   */
  public record Violation(String key, long line, String operation, String explanation) {

    public static @Nullable Violation of(GuaranteeVerdict guaranteeVerdict) {
      HistoryOperation culprit = guaranteeVerdict.culprit();
      if (culprit == null || guaranteeVerdict.key() == null || guaranteeVerdict.line() == null) {
        return null;
      }
      return new Violation(
          guaranteeVerdict.key(),
          guaranteeVerdict.line(),
          culprit.describe(),
          guaranteeVerdict.explanation());
    }
  }
}
