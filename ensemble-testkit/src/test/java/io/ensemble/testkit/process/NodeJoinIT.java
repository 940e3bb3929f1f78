package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.testkit.parallel.Parallel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Only nodes with the key of a site join it if its nodes use TLS with each other. */
@Timeout(300)
class NodeJoinIT {

  private static final String CLUSTER = "lyon-that-is-guarded";

  @TempDir Path directory;

  private ServerNode node(String where, int index, ProcessSecurity security) throws IOException {
    ProcessOptions options =
        ProcessOptions.in(directory.resolve(where), ServerLibrary.installed())
            .withSiteNames(List.of("lyon"))
            .withHeapMegabytes(192)
            .withJavaOptions(List.of("-XX:TieredStopAtLevel=1"))
            .withSecurity(security);
    if (security != ProcessSecurity.OPEN) {
      Files.createDirectories(options.directory());
      FederationKeys.provide(options.directory(), options.siteNames(), security);
    }
    return new ServerNode("lyon", index, options, null);
  }

  @Test
  void onlyANodeWithTheSitesKeyJoins() throws IOException {
    ServerNode founder = node("home", 0, ProcessSecurity.TLS_AND_USERS);
    ServerNode peer = node("home", 1, ProcessSecurity.TLS_AND_USERS);
    ServerNode keyless = node("keyless", 2, ProcessSecurity.OPEN);
    ServerNode stranger = node("stranger", 3, ProcessSecurity.TLS_AND_USERS);
    List<ServerNode> all = List.of(founder, peer, keyless, stranger);
    List<Integer> ports = all.stream().map(ServerNode::clusterPort).toList();
    try {
      start(founder, ports);
      Parallel.forEach(List.of(peer, keyless, stranger), node -> start(node, ports));

      awaitMembers(founder, Set.of("lyon-0", "lyon-1"));
      awaitMembers(peer, Set.of("lyon-0", "lyon-1"));
      assertThat(members(keyless)).containsExactly("lyon-2");
      assertThat(members(stranger)).containsExactly("lyon-3");
    } finally {
      Parallel.forEach(all, ServerNode::kill);
    }
  }

  private static void start(ServerNode node, List<Integer> ports) {
    node.launch(CLUSTER, ports, () -> {});
    node.awaitStarted();
  }

  private static Set<String> members(ServerNode node) {
    return node.health().orElseThrow().members();
  }

  /** Nodes that started alone merge at a later discovery; discoveries are up to 30 s apart. */
  private static void awaitMembers(ServerNode node, Set<String> wanted) {
    await("members " + wanted)
        .atMost(Duration.ofMinutes(3))
        .until(() -> members(node).equals(wanted));
  }
}
