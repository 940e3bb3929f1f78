package io.ensemble.benchmarks;

import io.ensemble.benchmarks.report.CodeRevision;
import io.ensemble.benchmarks.report.MachineReport;
import io.ensemble.benchmarks.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import site.ycsb.Client;

/** The phases load and run on a cache of its own, which is deleted afterwards. */
final class YcsbRun {

  private final String workload;
  private final Properties properties;
  private final StoreSettings settings;
  private final String command;
  private final AtomicReference<@Nullable SharedStore> open = new AtomicReference<>();

  /**
   * @param workload its letter
   * @param properties YCSB's and the binding's
   * @throws IllegalArgumentException if a property is invalid; the message names it
   */
  YcsbRun(String workload, Properties properties, String command) {
    this.workload = workload;
    this.properties = properties;
    this.settings = BindingProperties.read(properties);
    this.command = command;
  }

  /**
   * Runs both phases, the second only if the first succeeded completely.
   *
   * @param directory exists; receives YCSB's texts and logs
   * @throws RuntimeException if the store cannot be opened
   */
  YcsbReport execute(Path directory) throws IOException, InterruptedException {
    Instant start = Instant.now();
    MachineReport machine = MachineReport.here();
    System.err.printf(
        "ycsb: creating the cache: mode %s on %s%n", settings.mode(), settings.holders());
    SharedStore shared = SharedStore.acquire(settings);
    open.set(shared);
    try {
      List<YcsbPhaseResult> phases = new ArrayList<>();
      for (YcsbPhase phase :
          List.of(YcsbPhase.load(properties, directory), YcsbPhase.run(properties, directory))) {
        if (phases.stream().allMatch(earlier -> earlier.invalidityReason().isEmpty())) {
          try (YcsbConsole console = YcsbConsole.into(directory.resolve(phase.name() + ".log"))) {
            phases.add(phase.execute(shared.failures()::setStopAction));
          }
        }
      }
      return report(phases, shared, start, machine);
    } finally {
      abandon();
    }
  }

  /** Deletes the cache, if that has not been done. */
  void abandon() {
    SharedStore shared = open.getAndSet(null);
    if (shared == null) {
      return;
    }
    try {
      shared.store().drop();
    } catch (RuntimeException failure) {
      System.err.println(
          "ycsb: the cache could not be deleted; name=" + settings.cache() + " " + failure);
    } finally {
      shared.release();
    }
  }

  private YcsbReport report(
      List<YcsbPhaseResult> phases, SharedStore shared, Instant start, MachineReport machine) {
    FailureLog failures = shared.failures();
    List<String> flaws = new ArrayList<>();
    phases.forEach(phase -> phase.invalidityReason().ifPresent(flaws::add));
    if (flaws.isEmpty() && failures.total() > 0) {
      flaws.add("operations failed that YCSB did not count; failed=" + failures.total());
    }
    return new YcsbReport(
        flaws.isEmpty(),
        flaws,
        workload,
        settings.mode().toString(),
        settings.holders(),
        settings.replication(),
        number(Client.THREAD_COUNT_PROPERTY),
        number(Client.TARGET_PROPERTY),
        number(Client.RECORD_COUNT_PROPERTY),
        number(Client.OPERATION_COUNT_PROPERTY),
        phases.stream().map(YcsbReport.PhaseView::of).toList(),
        Map.copyOf(failures.kinds()),
        Map.copyOf(failures.firsts()),
        shared.store().rereads(),
        start.toString(),
        command,
        CodeRevision.current(),
        machine);
  }

  private int number(String property) {
    return Integer.parseInt(properties.getProperty(property, "0"));
  }
}
