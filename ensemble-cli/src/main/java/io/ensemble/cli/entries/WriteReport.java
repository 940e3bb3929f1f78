package io.ensemble.cli.entries;

import io.ensemble.WriteOutcome;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.ValueFormatter;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a write, as commands report it.
 *
 * @param outcome {@code applied}, {@code condition_not_met}, {@code superseded} (by a newer write,
 *     WEAK only), {@code refused} or {@code unknown}
 * @param wrote whether the entry changed; null when unknown
 * @param found the former value, if the operation returns it
 * @param why the missing sites, after a refusal or an unknown outcome
 */
record WriteReport(
    String cache,
    String key,
    String outcome,
    @Nullable Boolean wrote,
    @Nullable String found,
    @Nullable String why) {

  static WriteReport of(String cache, String key, WriteOutcome<?> ended) {
    if (ended instanceof WriteOutcome.Applied<?> applied) {
      Object result = applied.result();
      String found =
          result == null || result instanceof Boolean ? null : ValueFormatter.text(result);
      String outcome = applied.wrote() ? "applied" : "condition_not_met";
      return new WriteReport(cache, key, outcome, applied.wrote(), found, null);
    }
    if (ended instanceof WriteOutcome.Superseded<?>) {
      return new WriteReport(cache, key, "superseded", true, null, null);
    }
    if (ended instanceof WriteOutcome.Refused<?> refused) {
      return new WriteReport(cache, key, "refused", false, null, refused.why().toString());
    }
    if (ended instanceof WriteOutcome.Unknown<?> unknown) {
      return new WriteReport(cache, key, "unknown", null, null, unknown.why().toString());
    }
    throw new AssertionError("unexpected outcome: " + ended);
  }

  /** Reports the outcome, a success as {@code done}, and returns the exit code. */
  int report(ReportOptions reportOptions, String done) {
    reportOptions.report(
        this,
        out -> {
          if (exitCode() == ExitCode.OK) {
            out.println(
                outcome.equals("applied") ? done : done + ", and superseded by a newer write");
          }
        });
    if (exitCode() != ExitCode.OK) {
      reportOptions.err().println("ensemble: " + failureMessage());
    }
    return exitCode();
  }

  private String failureMessage() {
    String keyText = "'" + key + "' in cache '" + cache + "'";
    return switch (outcome) {
      case "refused" -> "refused, nothing was done: " + keyText + "; " + why;
      case "unknown" -> "the outcome is unknown, perhaps applied: " + keyText + "; " + why;
      default ->
          "condition not met: " + keyText + (found == null ? "" : "; the value is '" + found + "'");
    };
  }

  int exitCode() {
    return switch (outcome) {
      case "applied", "superseded" -> ExitCode.OK;
      case "unknown" -> ExitCode.UNKNOWN;
      default -> ExitCode.FAILED;
    };
  }
}
