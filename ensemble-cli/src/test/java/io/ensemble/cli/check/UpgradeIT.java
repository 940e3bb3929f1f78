package io.ensemble.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.ProcessSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.report.CheckEvidence;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.process.ServerLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The servers of sites are upgraded by a patch, node by node, under load. {@code ./long-tests
 * upgrade} fetches the former version.
 */
@Tag("deep")
@Timeout(1200)
class UpgradeIT {

  /** The system property with the directory of the jars of the former version. */
  private static final String FORMER = "ensemble.servers.former";

  private static final int NODES = 3;

  @TempDir Path directory;

  private ServerLibrary installed;
  private ServerLibrary former;

  @BeforeEach
  void useFormerServers() {
    installed = ServerLibrary.installed();
    former = new ServerLibrary(Path.of(System.getProperty(FORMER, "absent: " + FORMER)));
    System.setProperty(ServerLibrary.PROPERTY, former.directory().toString());
  }

  @AfterEach
  void useInstalledServers() {
    System.setProperty(ServerLibrary.PROPERTY, installed.directory().toString());
  }

  /** The three nodes are one cluster, so that nodes of both versions are together for a while. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--mode mwmr --sites 1 --nodes 3",
        "--mode swmr --sites 3 --nodes 1",
        "--mode weak --sites 3 --nodes 1"
      })
  void theGuaranteeHoldsWhileAllNodesAreUpgraded(String size) throws Exception {
    CliResult ran =
        check(
            size
                + " --clients 4 --client-processes 2 --operations 1500 --duration 20s --seed 3"
                + " --faults rolling --json --upgrade-to "
                + installed.directory());

    JsonNode json = ran.json();
    CheckEvidence.requireOk(json, ran.err(), UpgradeIT.class, size.replaceAll("\\W+", "-"));
    assertThat(ran.code()).isZero();
    assertThat(json.get("verdict").asText()).isEqualTo("held");
    assertThat(
            ran.err()
                .lines()
                .filter(line -> line.contains(" runs the jars in " + installed.directory()))
                .map(line -> line.replaceAll(".*node ([a-z]+-[0-9]).*", "$1"))
                .distinct())
        .as("upgraded nodes")
        .hasSize(NODES);
  }

  @Test
  void aNodeThatIsStartedAgainHasTheOtherVersion() throws IOException {
    PlannedFault restart = new PlannedFault(TrialFaultKind.ROLLING, 0, 0, 0, 0, 0);
    try (ProcessSites sites =
        ProcessSites.start(
            new LocalPlan(1, 1, WanProfile.NONE, true, null), installed, directory, line -> {})) {
      assertThat(logged()).contains(version(former)).doesNotContain(version(installed));

      sites.begin(restart);
      sites.end(restart);

      assertThat(logged()).contains(version(installed));
    }
  }

  private String logged() throws IOException {
    return Files.readString(directory.resolve("lyon/0/log/server.log"));
  }

  /** The version that the name of a jar has. */
  private static String version(ServerLibrary library) throws IOException {
    try (Stream<Path> jars = Files.list(library.directory())) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> name.matches("infinispan-core-[0-9.]+\\.jar"))
          .map(name -> name.replaceAll("^infinispan-core-|\\.jar$", ""))
          .findFirst()
          .orElseThrow();
    }
  }

  private static CliResult check(String options) {
    List<String> all = new ArrayList<>(List.of("check", "--processes"));
    all.addAll(List.of(options.split(" ")));
    return CliResult.ensemble(all);
  }
}
