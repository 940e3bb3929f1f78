package io.ensemble.deploy.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.deploy.check.objects.ObjectKind;
import io.ensemble.deploy.federation.LocalPlan;
import io.ensemble.deploy.federation.LocalSites;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the trial of atomic objects finds, with real client processes on one real node. */
@Timeout(240)
class ObjectCheckIT {
  private static Breakable sites;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    sites = new EmbeddedSites(LocalSites.start(LocalPlan.embedded(1, 1), line -> {}), 1);
  }

  @AfterAll
  static void stop() {
    sites.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"COUNTER", "LOCK"})
  void aStoreThatDoesNotCompareIsFoundOut(ObjectKind kind) throws Exception {
    CheckResult result = run(kind, false, PlantedStore.class);

    CheckReport report = result.report();
    assertThat(report.ok()).isFalse();
    assertThat(report.verdict()).isEqualTo(Finding.VIOLATED);
    assertThat(report.violation().explanation()).contains("<-- impossible");
    assertThat(report.violation().key()).isEqualTo(kind.word() + "-0");
  }

  @ParameterizedTest
  @EnumSource(names = {"MAP", "REGISTER"})
  void honestClientsPassAlsoWhereStatesAreStoredApart(ObjectKind kind) throws Exception {
    CheckReport report = run(kind, true, ObjectProgram.class).report();

    assertThat(report.problems()).as("%s", report.violation()).isEmpty();
    assertThat(report.operations().completed()).isGreaterThanOrEqualTo(400);
  }

  private CheckResult run(ObjectKind kind, boolean stored, Class<?> program) throws Exception {
    ObjectRequest request =
        new ObjectRequest(
            kind,
            ObjectStoreKind.HOTROD,
            stored,
            4,
            2,
            400,
            1,
            Duration.ofSeconds(1),
            1,
            Set.of(),
            50,
            Duration.ofSeconds(10));
    return new ObjectRun(
            request,
            Scene.of(
                sites,
                directory.resolve("definitions").toString(),
                Files.createDirectories(directory.resolve("parts")),
                line -> {}),
            program.getName())
        .run();
  }
}
