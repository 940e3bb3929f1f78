package io.ensemble.zoofence.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ensembles that cannot form one deployment are refused, with the reason. */
final class DeploymentIT {
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  @TempDir Path directory;

  private final List<EmbeddedInstance> running = new ArrayList<>();
  private final List<InstanceServers> servers = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    for (String name : List.of("lyon", "oslo", "rome")) {
      running.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve(name)), 0));
      servers.add(running.get(running.size() - 1).servers(name));
    }
  }

  @AfterEach
  void stop() {
    running.forEach(EmbeddedInstance::close);
  }

  private Deployment join(String rules, InstanceServers... instances) throws InterruptedException {
    return Deployment.join(List.of(instances), servers.get(0), rules, PATIENCE);
  }

  private void refused(String why, InstanceServers... instances) {
    assertThatThrownBy(() -> join(null, instances))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void oneAdministrativeTreeIsOfOneDeployment() throws Exception {
    InstanceServers lyon = servers.get(0);
    InstanceServers oslo = servers.get(1);
    InstanceServers rome = servers.get(2);
    Deployment first = join("/a 1\n".replace("1", "lyon"), lyon, oslo);

    refused("is that of instances lyon oslo, not of [lyon, rome]", lyon, rome);
    refused("is that of instances lyon oslo, not of [oslo, lyon]", oslo, lyon);
    refused("is that of instances lyon oslo, not of [lyon, oslo, rome]", lyon, oslo, rome);

    assertThat(join(null, lyon, oslo).flattening()).isEqualTo(first.flattening());
    assertThatThrownBy(() -> join("/a oslo\n", lyon, oslo))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("another flattening");
  }

  @Test
  void anInstanceIsOfOneDeployment() throws Exception {
    join(null, servers.get(0), servers.get(1));

    assertThatThrownBy(
            () ->
                Deployment.join(
                    List.of(servers.get(2), servers.get(1)), servers.get(2), null, PATIENCE))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("instance oslo")
        .hasMessageContaining("belongs to another deployment");
  }

  @Test
  @Timeout(100)
  void theOneThatIsNotReachedIsNamedInTime() throws Exception {
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    var away = new InstanceServers("away", List.of("127.0.0.1:" + port));

    assertThatThrownBy(
            () ->
                Deployment.join(
                    List.of(servers.get(0), away), servers.get(0), null, Duration.ofSeconds(3)))
        .isInstanceOf(DeploymentException.class)
        .hasMessageContaining("no server of away (127.0.0.1:" + port + ") answered in 3000 ms");
  }
}
