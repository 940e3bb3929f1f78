package io.ensemble.check.trial;

import io.ensemble.check.faults.FaultCounts;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultInjector;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.report.Availability;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.report.StreamVerdict;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.List;

/**
 * The complete outcome of a trial.
 *
 * @param request the settings of the trial
 * @param done the reports of the clients
 * @param faults the faults of the sites
 * @param seconds the time during which the clients worked
 * @param history the operations of the clients, which were judged
 * @param finding the judgement
 * @param operations the numbers of operations
 */
public record TrialOutcome(
    TrialRequest request,
    ClientMessage done,
    TrialFaultInjector faults,
    double seconds,
    OperationHistory history,
    GuaranteeVerdict finding,
    CheckReport.Operations operations) {

  /** A trial whose history contains every call with its outcome. */
  public static TrialOutcome of(
      TrialRequest request,
      ClientMessage done,
      TrialFaultInjector faults,
      double seconds,
      OperationHistory history,
      GuaranteeVerdict finding) {
    return new TrialOutcome(
        request,
        done,
        faults,
        seconds,
        history,
        finding,
        CheckReport.Operations.of(request.operations(), history, request.enough()));
  }

  /**
   * The result, if there are no notes on the history.
   *
   * @param tried the subject in one to three words
   * @param noticed the problems during the trial
   */
  public CheckResult result(String tried, FaultableSites sites, List<String> noticed) {
    return new CheckResult(
        report(tried, finding.guarantee(), sites, noticed),
        finding,
        history,
        faults.events(),
        List.of());
  }

  /**
   * The report on the trial.
   *
   * @param tried the subject in one to three words
   * @param guarantee the guarantee that was judged
   * @param noticed the problems during the trial
   */
  public CheckReport report(
      String tried, String guarantee, FaultableSites sites, List<String> noticed) {
    List<String> problems = new ArrayList<>(noticed);
    problems.addAll(problems());
    return new CheckReport(
        problems.isEmpty(),
        tried,
        request.seed(),
        sites.places().stream().map(SiteDescriptor::name).toList(),
        guarantee,
        finding.verdict(),
        operations,
        seconds,
        FaultCounts.counts(faults.events()),
        FaultCounts.refills(faults.events()),
        FaultCounts.discarded(faults.events()),
        Availability.of(history, faults.events()),
        sites.lines(),
        problems,
        CheckReport.Violation.of(finding),
        StreamVerdict.summary(history),
        null);
  }

  private List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (!finding.held()) {
      problems.add("the guarantee was " + finding.verdict() + ": " + finding.guarantee());
    }
    if (operations.completed() < operations.enough()) {
      problems.add(
          "too few %s were answered; expected %d, got %d"
              .formatted(request.operationsAre(), operations.enough(), operations.completed()));
    }
    if (done.broken() > 0) {
      problems.add(
          "%d %s ended with an unexpected error; the first: %s"
              .formatted(done.broken(), request.operationsAre(), done.trouble()));
    }
    String failure = faults.failure();
    if (failure != null) {
      problems.add(failure);
    }
    request.faults().stream()
        .filter(kind -> !faults.injected().contains(kind))
        .forEach(kind -> problems.add("a planned fault was not injected: " + kind.word()));
    return problems;
  }
}
