package io.ensemble.check.report;

import io.ensemble.check.workload.TreeHistories;
import io.ensemble.check.workload.TreeHistories.TreeViolation;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.NearReads;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on a guarantee.
 *
 * @param guarantee the guarantee that was judged
 * @param verdict {@link #HELD}, {@link #VIOLATED} or {@link #UNDECIDED}
 * @param key the key of the violation; null if there is none
 * @param line the line of the history whose operation made an order impossible; null if there is
 *     none
 * @param culprit that operation; null if there is none
 * @param around operations that bear on it, in the order of their calls
 * @param explanation in words, with a timeline in characters for a violation
 */
public record GuaranteeVerdict(
    String guarantee,
    String verdict,
    @Nullable String key,
    @Nullable Long line,
    @Nullable HistoryOperation culprit,
    List<HistoryOperation> around,
    String explanation) {

  /** The history satisfies the guarantee. */
  public static final String HELD = "held";

  /** The history violates the guarantee. */
  public static final String VIOLATED = "violated";

  /** The search reached its bound. */
  public static final String UNDECIDED = "undecided";

  private static final Duration LONGEST_JUDGEMENT = Duration.ofMinutes(5);
  private static final long MOST_STATES = 5_000_000;
  private static final int MOST_AROUND = 24;

  /** Copies the list. */
  public GuaranteeVerdict {
    around = List.copyOf(around);
  }

  /**
   * The same verdict on another guarantee, which the judgement reduces to this one.
   *
   * @param wanted the other guarantee, in words
   */
  public GuaranteeVerdict of(String wanted) {
    return new GuaranteeVerdict(wanted, verdict, key, line, culprit, around, explanation);
  }

  public boolean held() {
    return verdict.equals(HELD);
  }

  /**
   * Judges whether there is one order for each object, of any kind. Near reads are judged by their
   * staleness, see {@link NearReads}.
   */
  public static GuaranteeVerdict linearizable(OperationHistory history) {
    return NearReads.areIn(history) ? linearizableButNear(history) : ordered(history);
  }

  private static GuaranteeVerdict linearizableButNear(OperationHistory history) {
    String guarantee = "linearizable per key, except near reads, which are young enough";
    Optional<HistoryOperation> back = NearReads.stepsBack(history);
    if (back.isPresent()) {
      HistoryOperation culprit = back.get();
      return violated(
          guarantee,
          history,
          culprit,
          "key %s: client %d, called at %d, read %s after it had read a later write"
              .formatted(culprit.key(), culprit.client(), culprit.callNanos(), culprit.out()));
    }
    GuaranteeVerdict verdict = ordered(NearReads.asReads(history));
    HistoryOperation culprit = verdict.culprit();
    return new GuaranteeVerdict(
        guarantee,
        verdict.verdict(),
        verdict.key(),
        culprit == null ? null : history.line(NearReads.original(history, culprit)),
        culprit,
        verdict.around(),
        verdict.explanation());
  }

  private static GuaranteeVerdict ordered(OperationHistory history) {
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(
            history,
            Options.anyObjects().withMaxTime(LONGEST_JUDGEMENT).withMaxStates(MOST_STATES));
    String guarantee = "linearizable per key";
    if (verdict instanceof LinearizabilityVerdict.Violation violation) {
      return new GuaranteeVerdict(
          guarantee,
          VIOLATED,
          violation.key(),
          history.line(violation.culprit()),
          violation.culprit(),
          violation.around(),
          violation.explain());
    }
    return new GuaranteeVerdict(
        guarantee,
        verdict.isLinearizable() ? HELD : UNDECIDED,
        null,
        null,
        null,
        List.of(),
        verdict.explain());
  }

  /** Judges whether at most so many of the proposed values are decided in each instance. */
  public static GuaranteeVerdict setAgreement(OperationHistory history, int values) {
    String guarantee = "at most %d values per instance, all proposed".formatted(values);
    return SetAgreementViolations.first(history, values)
        .map(
            found ->
                new GuaranteeVerdict(
                    guarantee,
                    VIOLATED,
                    found.culprit().key(),
                    history.line(found.culprit()),
                    found.culprit(),
                    found.around(),
                    found.why()))
        .orElseGet(
            () ->
                new GuaranteeVerdict(
                    guarantee, HELD, null, null, null, List.of(), "no instance has more values"));
  }

  /** Judges whether the transactions on each tree are strictly serializable. */
  public static GuaranteeVerdict strictlySerializable(OperationHistory history) {
    String guarantee = "strictly serializable";
    Optional<TreeViolation> violation = TreeHistories.violation(history.operations());
    if (violation.isEmpty()) {
      return new GuaranteeVerdict(
          guarantee,
          HELD,
          null,
          null,
          null,
          List.of(),
          "each transaction read what the commits before it had left");
    }
    HistoryOperation culprit = violation.get().culprit();
    return violated(
        guarantee,
        history,
        culprit,
        "tree %s: a transaction of client %d, called at %d: %s"
            .formatted(
                culprit.key(), culprit.client(), culprit.callNanos(), violation.get().why()));
  }

  /** The guarantee is violated by this operation, or by the near read that it was made from. */
  private static GuaranteeVerdict violated(
      String guarantee, OperationHistory history, HistoryOperation culprit, String explanation) {
    return new GuaranteeVerdict(
        guarantee,
        VIOLATED,
        culprit.key(),
        history.line(NearReads.original(history, culprit)),
        culprit,
        before(history, culprit),
        explanation);
  }

  /** The last operations on the key that were called before the culprit returned. */
  static List<HistoryOperation> before(OperationHistory history, HistoryOperation culprit) {
    return history.operations().stream()
        .filter(o -> o.key().equals(culprit.key()))
        .filter(o -> o.callNanos() <= culprit.callNanos())
        .sorted((a, b) -> Long.compare(b.callNanos(), a.callNanos()))
        .limit(MOST_AROUND)
        .sorted((a, b) -> Long.compare(a.callNanos(), b.callNanos()))
        .toList();
  }

  /** Judges the guarantee of every answer of a WEAK cache. */
  public static GuaranteeVerdict nothingInvented(OperationHistory history) {
    String guarantee = "only values that were written";
    Optional<HistoryOperation> invented = InventedValues.first(NearReads.asReads(history));
    if (invented.isEmpty()) {
      return new GuaranteeVerdict(
          guarantee,
          HELD,
          null,
          null,
          null,
          List.of(),
          "every value was written before it was read");
    }
    HistoryOperation culprit = invented.get();
    return violated(
        guarantee,
        history,
        culprit,
        ("key %s: %s of client %d, called at %d, returned a value that no operation could have "
                + "written before")
            .formatted(culprit.key(), culprit.op(), culprit.client(), culprit.callNanos()));
  }
}
