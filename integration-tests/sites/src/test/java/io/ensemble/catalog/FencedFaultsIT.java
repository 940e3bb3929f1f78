package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.link.Link;
import io.ensemble.testkit.link.LinkThreads;
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
 * What became of a change is known or said to be unknown, too, where ZooKeepers are served as one:
 * of a record that all hold, and of one that one of them holds.
 */
class FencedFaultsIT {

  @TempDir Path directory;

  @Test
  void everyChangeIsMadeOnceOrNotAtAllWhileProxiesAndEnsemblesComeAndGo() throws Exception {
    try (Fence fence = new Fence(directory, "/one 2", Duration.ofSeconds(3));
        LinkThreads threads = new LinkThreads(1);
        Relay relay =
            Relay.listening(
                Ports.reserve(1),
                InetSocketAddress.createUnresolved("127.0.0.1", fence.port(0)),
                new Link(),
                threads)) {
      relay.link().up();
      String servers = "127.0.0.1:%d,%s".formatted(relay.address().getPort(), fence.address(1));
      List<Counting.Trouble> troubles =
          List.of(
              () -> loseAnswers(relay.link()),
              () -> loseAnswers(relay.link()),
              () -> fence.stopProxy(1),
              () -> {
                fence.startProxy(1);
                fence.stopProxy(0);
              },
              () -> fence.startProxy(0),
              () -> restart(fence, 1),
              () -> restart(fence, 0));

      try (Counting all = Counting.of(4, ZooKeeperAccess.to(servers + "/all"));
          Counting one = Counting.of(4, ZooKeeperAccess.to(servers + "/one"))) {
        all.among(troubles);
        one.among(List.of());

        assertThat(all.made()).isBetween(all.sure(), all.sure() + all.unknown());
        assertThat(one.made()).isBetween(one.sure(), one.sure() + one.unknown());
      }
    }
  }

  /** Has what is asked for meanwhile done unheard. */
  private static void loseAnswers(Link link) {
    link.blockReplies();
    pause(200);
    link.reset();
    link.heal();
  }

  private static void restart(Fence fence, int instance) throws Exception {
    fence.stopInstance(instance);
    pause(300);
    fence.startInstance(instance);
  }

  /** Lets a fault last for a while. */
  private static void pause(int millis) {
    Awaitility.await("the fault's end").pollDelay(Duration.ofMillis(millis)).until(() -> true);
  }
}
