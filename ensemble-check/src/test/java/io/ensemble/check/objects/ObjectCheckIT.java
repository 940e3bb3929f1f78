package io.ensemble.check.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.faults.EmbeddedSites;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientThread;
import io.ensemble.check.workload.ObjectKind;
import io.ensemble.objects.runtime.SessionDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verdicts of the trial of atomic objects on one real node, with client threads or processes. */
@Timeout(600)
class ObjectCheckIT {
  /**
   * One client in each process. Each batch then holds one call, and no client detects the planted
   * fault and ends its session.
   */
  private static final int ONE_IN_EACH_PROCESS = 2;

  /** Few calls: a client that waits for a lost lock waits until the lease expires. */
  private static final int LOCKS = 40;

  private static FaultableSites sites;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    sites = new EmbeddedSites(LocalSites.start(LocalPlan.embedded(1, 1), line -> {}), 1);
  }

  @AfterAll
  static void stop() {
    sites.close();
  }

  @Test
  void aStoreThatDoesNotCompareIsFoundOut() throws Exception {
    isFoundOut(ObjectKind.COUNTER, PlantedStore::run);
  }

  @Test
  @Tag("nightly")
  void aTreeOnAStoreThatDoesNotCompareIsFoundOut() throws Exception {
    CheckReport report =
        run(ObjectKind.TREE, false, ONE_IN_EACH_PROCESS, ClientThread.launcher(PlantedStore::run))
            .report();

    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
  }

  @Test
  void honestProcessesOfATreePass() throws Exception {
    passes(ObjectKind.TREE, ClientLauncher.ofProgram(ObjectProgram.class));
  }

  /** Two simultaneous owners have the same token: a violation even if calls are linearizable. */
  @Test
  @Tag("nightly")
  void aStoreThatGrantsALockTwiceIsFoundOut() throws Exception {
    CheckReport report =
        run(ObjectKind.LOCK, false, ONE_IN_EACH_PROCESS, ClientThread.launcher(PlantedStore::run))
            .report();

    assertThat(report.ok()).isFalse();
    assertThat(report.problems()).anyMatch(p -> p.contains(": two got token "));
  }

  /** By chance: the fault shows only if another client replaces the entry within a few ms. */
  @ParameterizedTest
  @EnumSource(names = {"LOCK", "QUEUE"})
  @Tag("deep")
  void aStoreThatDoesNotCompareIsFoundOutByOthers(ObjectKind kind) throws Exception {
    isFoundOut(kind, PlantedStore::runHasty);
  }

  private void isFoundOut(ObjectKind kind, ClientThread.Program planted) throws Exception {
    CheckResult result = run(kind, false, ONE_IN_EACH_PROCESS, ClientThread.launcher(planted));

    CheckReport report = result.report();
    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().explanation()).contains("<-- impossible");
    assertThat(report.violation().key()).isEqualTo(kind.word() + "-0");
  }

  /**
   * A process can detect the fault by itself: a batch that has another number of calls is not the
   * batch that it wrote. It then ends its session.
   */
  @Test
  @Tag("nightly")
  void aProcessThatFindsItOutByItselfFailsTheTrialToo() throws Exception {
    CheckReport report =
        run(ObjectKind.QUEUE, false, 4, ClientThread.launcher(PlantedStore::run)).report();

    assertThat(report.ok()).isFalse();
    assertThat(report.problems())
        .anyMatch(p -> p.contains("the guarantee was violated") || p.contains(SessionDriver.FAULT));
  }

  @Test
  void honestProcessesPassAlsoWhereStatesAreStoredApart() throws Exception {
    passes(ObjectKind.MAP, ClientLauncher.ofProgram(ObjectProgram.class));
  }

  @Test
  void honestClientsPassAlsoWhereStatesAreStoredApart() throws Exception {
    passes(
        ObjectKind.REGISTER,
        ClientThread.launcher((in, out) -> ObjectProgram.run(in, out, store -> store)));
  }

  private void passes(ObjectKind kind, ClientLauncher client) throws Exception {
    CheckReport report =
        CheckEvidence.requireOk(
            run(kind, true, 4, client), directory.resolve("parts"), ObjectCheckIT.class, kind);

    assertThat(report.operations().completed()).isGreaterThanOrEqualTo(400);
  }

  private CheckResult run(ObjectKind kind, boolean stored, int clients, ClientLauncher client)
      throws Exception {
    ObjectRequest request =
        new ObjectRequest(
            kind,
            ObjectStoreKind.HOTROD,
            stored,
            clients,
            2,
            kind == ObjectKind.LOCK ? LOCKS : 400,
            1,
            Duration.ofSeconds(1),
            1,
            Set.of(),
            50,
            Duration.ofSeconds(10));
    return new ObjectRun(
            request,
            CheckEnvironment.of(
                sites,
                directory.resolve("definitions").toString(),
                Files.createDirectories(directory.resolve("parts")),
                line -> {}),
            client)
        .run();
  }
}
