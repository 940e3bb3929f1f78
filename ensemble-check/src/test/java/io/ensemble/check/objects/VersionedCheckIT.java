package io.ensemble.check.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.faults.EmbeddedSites;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.federation.LocalSites;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.check.report.CheckReport;
import io.ensemble.check.report.CheckResult;
import io.ensemble.check.report.GuaranteeVerdict;
import io.ensemble.check.trial.CheckEnvironment;
import io.ensemble.check.trial.ClientLauncher;
import io.ensemble.check.trial.ClientThread;
import io.ensemble.check.workload.VersionedKind;
import io.ensemble.objects.runtime.SessionDriver;
import io.ensemble.versioning.IndexType;
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

/** Verdicts of the trial of versioned caches on one real node, with client threads or processes. */
@Timeout(600)
class VersionedCheckIT {
  private static final boolean DEEP = Boolean.getBoolean("ensemble.deep");
  private static final int OPERATIONS = DEEP ? 5_000 : 500;
  private static final int SECONDS = DEEP ? 20 : 2;

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

  /** An AUTO index grows through the types that no other test here runs. */
  @Test
  @Tag("nightly")
  void honestClientsPassAndLeaveNothingBehindAlsoWhenSomeAreKilled() throws Exception {
    passAmongKills(IndexType.AUTO);
  }

  @Test
  void honestClientsPassAndLeaveNothingBehind() throws Exception {
    passes(
        IndexType.SHARDED,
        ClientThread.launcher((in, out) -> ObjectProgram.run(in, out, store -> store)),
        Set.of());
  }

  @Test
  @Tag("nightly")
  void honestClientsOfShardsPassAlsoWhenSomeAreKilled() throws Exception {
    passAmongKills(IndexType.SHARDED);
  }

  @ParameterizedTest
  @EnumSource(names = {"BASELINE", "TREE"})
  @Tag("deep")
  void honestClientsPassWithTheOtherIndexes(IndexType indexType) throws Exception {
    passAmongKills(indexType);
  }

  private void passAmongKills(IndexType indexType) throws Exception {
    passes(indexType, ClientLauncher.ofProgram(ObjectProgram.class), Set.of(TrialFaultKind.CLIENT));
  }

  private void passes(IndexType indexType, ClientLauncher client, Set<TrialFaultKind> faults)
      throws Exception {
    CheckReport report =
        CheckEvidence.requireOk(
            run(indexType, 4, client, faults),
            directory.resolve("parts"),
            VersionedCheckIT.class,
            indexType);

    assertThat(report.operations().completed()).isGreaterThanOrEqualTo(OPERATIONS);
  }

  @Tag("nightly")
  @Test
  void aStoreThatDoesNotCompareIsFoundOut() throws Exception {
    CheckReport report =
        run(IndexType.BASELINE, 2, ClientThread.launcher(PlantedStore::run), Set.of()).report();

    assertThat(report.ok()).isFalse();
    assertThat(report.problems())
        .anyMatch(p -> p.contains("the guarantee was violated") || p.contains(SessionDriver.FAULT));
  }

  @Test
  @Tag("nightly")
  void valuesUnderOtherVersionsAreFoundOut() throws Exception {
    CheckReport report =
        run(IndexType.SHARDED, 2, ClientThread.launcher(PlantedVersions::swapValues), Set.of())
            .report();

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.VIOLATED);
    assertThat(report.violation().key()).isEqualTo("versioned-sharded-0");
  }

  @Test
  void entriesThatNothingRefersToAreFoundOut() throws Exception {
    CheckReport report =
        run(IndexType.AUTO, 2, ClientThread.launcher(PlantedVersions::keepParts), Set.of())
            .report();

    assertThat(report.verdict()).isEqualTo(GuaranteeVerdict.HELD);
    assertThat(report.problems()).hasSize(1).first().asString().contains("unreferenced");
  }

  private CheckResult run(
      IndexType indexType, int clients, ClientLauncher client, Set<TrialFaultKind> faults)
      throws Exception {
    ObjectRequest request =
        new ObjectRequest(
            new VersionedKind(indexType),
            ObjectStoreKind.HOTROD,
            false,
            clients,
            2,
            OPERATIONS,
            1,
            Duration.ofSeconds(SECONDS),
            1,
            faults,
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
