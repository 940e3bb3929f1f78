package io.ensemble.check.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.znodes.ZooFenceProgram;
import io.ensemble.check.zoofence.FrameRelay.Lie;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Verdicts of the trial of ZooFence: honest parts are processes, planted faults are in this JVM.
 */
@Timeout(600)
class ZooFenceCheckIT {
  private static final String ROOT = "/ensemble-check-it";

  /** Few operations: after the first difference, the queue stops and each call on it takes long. */
  private static final int FEW = 150;

  private static final int MOST_TRIALS = 5;

  /** A class of the command line, which is on the class path of integration tests. */
  private static final String PROXY_PROGRAM = "io.ensemble.cli.ProxyProgram";

  private static final IntFunction<Lie> HONEST = instance -> new Lie();

  @TempDir Path directory;

  /** What the clients of the last run have recorded. */
  private Path parts;

  @Test
  void realProcessesPassWhileTheirLeaderIsKilled() throws Exception {
    CheckReport report = passed(processes(400, 4, Set.of(TrialFaultKind.LEADER), 2), "leader");

    assertThat(report.operations().completed()).isGreaterThanOrEqualTo(200);
  }

  @Test
  @Tag("deep")
  void realProcessesPassWhileAllThatCanBefallThemDoes() throws Exception {
    CheckReport report = passed(processes(5_000, 90, ZooFenceRequest.POSSIBLE, 3), "all");

    assertThat(report.faults().keySet()).hasSize(ZooFenceRequest.POSSIBLE.size());
  }

  private CheckReport passed(CheckResult result, String run) throws Exception {
    return CheckEvidence.requireOk(result, parts, ZooFenceCheckIT.class, run);
  }

  private CheckResult processes(
      int operations, int seconds, Set<TrialFaultKind> faults, int instances) throws Exception {
    try (ZooFenceProcesses own =
        ZooFenceProcesses.start(
            instances,
            2,
            ROOT,
            Duration.ofMillis(2_500),
            directory.resolve("sites"),
            PROXY_PROGRAM)) {
      return run(
          own.testbed(ROOT),
          operations,
          seconds,
          faults,
          Duration.ofMillis(2_500),
          ClientLauncher.ofProgram(ZooFenceProgram.class));
    }
  }

  @Test
  void aProxyThatAcknowledgesBeforeTheOutcomeIsFoundOut() throws Exception {
    CheckReport report = planted(PlantedProxyFaults.Early::new, HONEST, Set.of(), 500, 2);

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().key()).contains("/key-");
  }

  @Test
  void aProxyWhoseReadsAreBehindIsFoundOut() throws Exception {
    CheckReport report = planted(PlantedProxyFaults.Stale::new, HONEST, Set.of(), 500, 2);

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().operation()).startsWith("get_data");
  }

  @Test
  @Tag("nightly")
  void aProxyThatDropsTheOrderOfItsClientIsFoundOut() throws Exception {
    CheckReport report = planted(PlantedProxyFaults.Swapped::new, HONEST, Set.of(), 500, 2);

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
    assertThat(report.problems()).isNotEmpty().allMatch(p -> p.contains("took effect after it"));
  }

  /** No client deletes the znode: a deletion would make the instances equal again. */
  @Tag("nightly")
  @Test
  void anExecutorThatLeavesAnInstanceOutIsFoundOut() throws Exception {
    CheckReport report = planted(Lie::new, at(2, "/all/order-"), Set.of(), FEW, 1);

    assertThat(report.problems()).anyMatch(p -> p.startsWith("instances differ at "));
  }

  @Test
  @Tag("nightly")
  void aTransactionThatIsHalfDoneIsFoundOut() throws Exception {
    CheckReport report = planted(Lie::new, at(2, "/at2/pair-"), Set.of(), 500, 2);

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().key()).contains("/pair-");
  }

  @Test
  @Tag("nightly")
  void anExecutorThatForgetsWhatItHasDoneIsFoundOut() throws Exception {
    CheckReport report = forgetful();
    for (int i = 1; report.ok() && i < MOST_TRIALS; i++) {
      report = forgetful();
    }

    assertThat(report.ok()).isFalse();
    assertThat(report.problems())
        .anyMatch(p -> p.contains("the guarantee was violated") || p.contains("or twice"));
  }

  /**
   * It does harm only where a leader is stopped between the execution of a command and its note.
   */
  private CheckReport forgetful() throws Exception {
    return planted(
        Lie::new,
        instance -> new PlantedProxyFaults.Forgetful(),
        Set.of(TrialFaultKind.LEADER),
        1_500,
        6);
  }

  private static IntFunction<Lie> at(int number, String path) {
    return instance -> instance == number - 1 ? new PlantedProxyFaults.Left(path) : new Lie();
  }

  private CheckReport planted(
      Supplier<Lie> toClients,
      IntFunction<Lie> toInstances,
      Set<TrialFaultKind> faults,
      int operations,
      int seconds)
      throws Exception {
    Path own = Files.createTempDirectory(directory, "planted");
    try (PlantedZooFence planted = new PlantedZooFence(own, toClients, toInstances)) {
      return run(
              planted.ground(),
              operations,
              seconds,
              faults,
              PlantedZooFence.PATIENCE,
              PlantedZooFence.CLIENTS)
          .report();
    }
  }

  private CheckResult run(
      ZooFenceTestbed ground,
      int operations,
      int seconds,
      Set<TrialFaultKind> faults,
      Duration patience,
      ClientLauncher client)
      throws Exception {
    parts = Files.createTempDirectory(directory, "parts");
    ZooFenceRequest request =
        new ZooFenceRequest(
            6, 2, operations, 5, Duration.ofSeconds(seconds), 1, faults, 50, patience);
    return new ZooFenceRun(request, ground, parts, line -> {}, client, ZooFenceRun.LONGEST_MAKING)
        .run();
  }
}
