package io.ensemble.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.bench.YcsbProcess;
import io.ensemble.cli.bench.YcsbRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The short runs of YCSB at the end of the demonstration, and the figures from their reports. */
public final class YcsbRuns {

  private static final int THREADS = 8;
  private static final int MOST_RECORDS = 1000;

  private final @Nullable YcsbProcess process;
  private final DemoPlan plan;

  /**
   * @param process null for no YCSB
   */
  public YcsbRuns(@Nullable YcsbProcess process, DemoPlan plan) {
    this.process = process;
    this.plan = plan;
  }

  /** One run. */
  record Run(String workload, String mode) {
    String title() {
      return "YCSB " + workload.toUpperCase(Locale.ROOT) + " on " + mode;
    }
  }

  List<Run> runs() {
    List<Run> runs = new ArrayList<>();
    if (process != null && plan.ycsbOperations() > 0) {
      for (String mode : List.of("weak", "mwmr")) {
        for (String workload : List.of("a", "b")) {
          runs.add(new Run(workload, mode));
        }
      }
    }
    return runs;
  }

  /**
   * Executes the run.
   *
   * @throws VerificationException if it failed, or did not execute all operations
   */
  YcsbRow measure(Run run, List<SiteDescriptor> sites, Consumer<String> progress)
      throws InterruptedException {
    if (process == null) {
      throw new AssertionError("there are no runs without a process");
    }
    YcsbRequest request =
        YcsbRequest.brief(
            run.workload(),
            run.mode(),
            plan.sites(),
            THREADS,
            Math.min(plan.records(), MOST_RECORDS),
            plan.ycsbOperations());
    YcsbProcess.YcsbResult ended =
        process.run(
            request,
            sites,
            null,
            "./ensemble demo",
            true,
            line -> progress.accept(run.title() + ": " + line));
    if (ended.exitCode() != 0) {
      throw new VerificationException(
          "YCSB exited with code %d: %s".formatted(ended.exitCode(), ended.lastWord()));
    }
    return row(run, ended.output(), plan.ycsbOperations());
  }

  static YcsbRow row(Run run, String json, int wanted) {
    JsonNode measured = runPhase(read(json));
    YcsbRow row =
        new YcsbRow(
            run.workload(),
            run.mode(),
            measured.path("done").asLong(),
            measured.path("throughput_per_second").asDouble(),
            p99(measured, "READ"),
            p99(measured, "UPDATE"));
    if (row.operations() < wanted || row.operationsPerSecond() <= 0) {
      throw new VerificationException(
          "YCSB must do %d operations; did %d".formatted(wanted, row.operations()));
    }
    return row;
  }

  private static JsonNode runPhase(JsonNode report) {
    for (JsonNode phase : report.path("phases")) {
      if (phase.path("phase").asText().equals("run")) {
        return phase;
      }
    }
    throw new VerificationException("the report of YCSB contains no run");
  }

  private static double p99(JsonNode measured, String operation) {
    return measured.path("operations").path(operation).path("p99_micros").asDouble();
  }

  private static JsonNode read(String json) {
    try {
      return JsonOutput.mapper().readTree(json);
    } catch (IOException e) {
      throw new VerificationException("the report of YCSB cannot be read: " + e.getMessage());
    }
  }
}
