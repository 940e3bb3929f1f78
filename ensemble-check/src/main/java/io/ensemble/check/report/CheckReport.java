package io.ensemble.check.report;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.listen.StreamSummary;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run.
 *
 * @param ok whether the guarantee held, enough operations were answered and no other problem
 *     occurred
 * @param mode the mode, as it is typed
 * @param seed the seed that repeats the run
 * @param sites the sites' names
 * @param guarantee the guarantee that was judged
 * @param verdict held, violated or undecided
 * @param operations the numbers of operations
 * @param seconds the time during which the clients worked
 * @param faults the number of injected faults of each kind
 * @param refilled the number of refills of sites that had lost their memory
 * @param discarded the number of stores that were discarded because they refused permanently
 * @param oneSiteDead the availability for clients while one site was dead
 * @param lines the measured delay and bandwidth of the links to sites that are not near
 * @param problems all problems, in words; empty when ok
 * @param violation null if there is none
 * @param streams what listeners received; null without listeners
 * @param report the directory with the history and the other files; null if no files were kept
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
    long discarded,
    Availability oneSiteDead,
    List<SiteLinkReport> lines,
    List<String> problems,
    @Nullable Violation violation,
    @Nullable StreamSummary streams,
    @Nullable String report) {

  /** Copies the collections. */
  public CheckReport {
    sites = List.copyOf(sites);
    lines = List.copyOf(lines);
    problems = List.copyOf(problems);
  }

  /** The number of injected faults of each kind. */
  public String faultsInWords() {
    return faults.isEmpty()
        ? "none"
        : faults.entrySet().stream()
            .map(count -> count.getKey() + " " + count.getValue())
            .collect(Collectors.joining(", "));
  }

  /** The same report, kept in that directory. */
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
        discarded,
        oneSiteDead,
        lines,
        problems,
        violation,
        streams,
        directory);
  }

  /**
   * The numbers of operations.
   *
   * @param asked requested operations
   * @param recorded operations in the history, including final reads
   * @param completed operations to which the clients had an answer
   * @param enough the required number of completed operations
   * @param refused operations that certainly had no effect
   * @param unknown operations that may have had an effect
   */
  public record Operations(
      long asked, long recorded, long completed, long enough, long refused, long unknown) {

    /** The numbers of a history that contains the outcome of every operation. */
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
   * The contradiction to the guarantee.
   *
   * @param key the key
   * @param line the line of the history that made an order impossible
   * @param operation the operation on that line
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
