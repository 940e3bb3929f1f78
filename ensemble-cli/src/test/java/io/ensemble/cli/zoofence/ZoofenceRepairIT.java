package io.ensemble.cli.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The repair of ensembles that differ, as an operator runs it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ZoofenceRepairIT {
  @TempDir private Path directory;

  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private String ensembles = "";

  @BeforeEach
  void start() throws Exception {
    var servers = new ArrayList<InstanceServers>();
    for (String name : List.of("lyon", "oslo")) {
      EmbeddedInstance instance =
          EmbeddedInstance.start(Files.createDirectory(directory.resolve(name)), 0);
      instances.add(instance);
      servers.add(instance.servers(name));
      ensembles += (ensembles.isEmpty() ? "" : "|") + name + "=127.0.0.1:" + instance.port();
    }
    Deployment.join(servers, servers.get(0), null, Duration.ofSeconds(20));
    try (var foreign = new ZooKeeper("127.0.0.1:" + instances.get(1).port(), 20_000, event -> {})) {
      foreign.create("/stray", new byte[3], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
  }

  @AfterEach
  void stop() {
    instances.forEach(EmbeddedInstance::close);
  }

  private boolean isStrayAt(int instance) {
    return instances.get(instance).server().getZKDatabase().getNode("/stray") != null;
  }

  private CliResult repair(String... options) {
    var arguments = new ArrayList<>(List.of("zoofence", "repair", "--ensembles", ensembles));
    arguments.addAll(List.of(options));
    return CliResult.ensemble(arguments.toArray(String[]::new));
  }

  @Test
  void aDryRunShowsWhatDiffersAndChangesNothing() {
    CliResult shown = repair();
    CliResult chosen = repair("--from", "lyon");

    assertThat(shown.code()).isEqualTo(ExitCode.FAILED);
    assertThat(shown.out())
        .contains("/stray\n  lyon: absent\n  oslo: version 0, 3 bytes")
        .contains("nothing was changed; to repair, add --from NAME --apply");
    assertThat(chosen.out().lines().filter(line -> line.endsWith("(to be changed)"))).hasSize(2);
    assertThat(isStrayAt(1)).isTrue();
  }

  @Test
  void theChosenEnsembleWins() {
    CliResult repaired = repair("--from", "oslo", "--apply");
    CliResult again = repair("--from", "oslo", "--apply", "--json");

    assertThat(repaired.out()).contains("repaired: all ensembles have what oslo has");
    assertThat(repaired.code()).isEqualTo(ExitCode.OK);
    assertThat(again.code()).isEqualTo(ExitCode.OK);
    assertThat(again.out()).contains("\"remaining\"");
    assertThat(isStrayAt(0)).isTrue();
  }

  @Test
  void mistakesAreReported() {
    CliResult undecided = repair("--apply");
    CliResult unknown = repair("--from", "paris");

    assertThat(undecided.code()).isEqualTo(ExitCode.USAGE);
    assertThat(undecided.err()).contains("--apply requires --from NAME");
    assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
    assertThat(unknown.err()).contains("no ensemble is named 'paris'; known are lyon, oslo");
  }
}
