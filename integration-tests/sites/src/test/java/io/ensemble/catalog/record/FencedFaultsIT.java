package io.ensemble.catalog.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.FencedZooKeepers;
import io.ensemble.testkit.link.LinkThreads;
import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.link.Relay;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A change is made once or not at all, or its outcome is reported as unknown, also where ZooKeepers
 * are served as one: for a record at all ensembles, and for a record at one of them.
 */
class FencedFaultsIT {

  @TempDir Path directory;

  @Test
  void everyChangeIsMadeOnceOrNotAtAllWhileProxiesAndEnsemblesComeAndGo() throws Exception {
    try (FencedZooKeepers fencedZooKeepers =
            new FencedZooKeepers(directory, "/one 2", Duration.ofSeconds(3));
        LinkThreads threads = new LinkThreads(1);
        Relay relay =
            Relay.listening(
                Ports.reserve(1),
                InetSocketAddress.createUnresolved("127.0.0.1", fencedZooKeepers.port(0)),
                new NodeLink(),
                threads)) {
      relay.link().up();
      String servers =
          "127.0.0.1:%d,%s".formatted(relay.address().getPort(), fencedZooKeepers.address(1));
      List<IncrementClients.Trouble> troubles =
          List.of(
              () -> loseAnswers(relay.link()),
              () -> loseAnswers(relay.link()),
              () -> fencedZooKeepers.stopProxy(1),
              () -> {
                fencedZooKeepers.startProxy(1);
                fencedZooKeepers.stopProxy(0);
              },
              () -> fencedZooKeepers.startProxy(0),
              () -> restart(fencedZooKeepers, 1),
              () -> restart(fencedZooKeepers, 0));

      try (IncrementClients all = IncrementClients.of(4, ZooKeeperAccess.to(servers + "/all"));
          IncrementClients one = IncrementClients.of(4, ZooKeeperAccess.to(servers + "/one"))) {
        all.among(troubles);
        one.among(List.of());

        assertThat(all.made()).isBetween(all.sure(), all.sure() + all.unknown());
        assertThat(one.made()).isBetween(one.sure(), one.sure() + one.unknown());
      }
    }
  }

  /** Requests take effect meanwhile; their responses are lost. */
  private static void loseAnswers(NodeLink link) {
    link.blockReplies();
    pause(200);
    link.reset();
    link.heal();
  }

  private static void restart(FencedZooKeepers fencedZooKeepers, int instance) throws Exception {
    fencedZooKeepers.stopInstance(instance);
    pause(300);
    fencedZooKeepers.startInstance(instance);
  }

  /** Lets a fault last for a while. */
  private static void pause(int millis) {
    Awaitility.await("the fault's end").pollDelay(Duration.ofMillis(millis)).until(() -> true);
  }
}
