package io.ensemble.catalog.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.record.CuratorZnodes;
import io.ensemble.catalog.record.SessionExpiry;
import io.ensemble.catalog.record.ZooKeeperAccess;
import io.ensemble.catalog.record.ZooKeeperRecords;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.site.EmbeddedSiteConfigurations;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A cache moves to other sites while its catalog, a real server, fails. */
class ChangeAmongCatalogFaultsIT {

  private static final int ENTRIES = 400;

  @TempDir Path directory;

  /**
   * The session expires, the server is killed, and the server is paused, each during the copying.
   */
  @Test
  @Tag("nightly")
  @Timeout(240)
  void aChangeOutlivesItsSessionAndItsServer() throws Exception {
    ZooKeeperAccess access;
    try (ZooKeeperProcess server = ZooKeeperProcess.start(directory, Ports.reserve(1));
        EmbeddedFederation federation = federation()) {
      access = ZooKeeperAccess.to(server.connectString() + "/changing");
      CuratorFramework curator = ZooKeeperRecords.client(access);
      curator.start();
      ZooKeeperRecords records =
          new ZooKeeperRecords(new CuratorZnodes(curator), access.path(), curator::close);
      try (ZooKeeperDefinitions own = new ZooKeeperDefinitions(records);
          ZooKeeperDefinitions others = ZooKeeperDefinitions.at(access);
          EnsembleCacheManager mover = manager(federation, own);
          EnsembleCacheManager user = manager(federation, others)) {
        EnsembleCache<String, Integer> here = mover.createCache(at("a", "b"));
        EnsembleCache<String, Integer> there = user.getCache("orders");
        for (int i = 0; i < ENTRIES; i++) {
          here.put("k" + i, i);
        }
        ChangeRun run = mover.changes().alter(at("a", "b", "c"), ENTRIES / 8);

        copied(run, ENTRIES / 8);
        long ended = SessionExpiry.of(curator, server.connectString());
        there.put("during", 1);
        copied(run, ENTRIES / 4);
        server.kill();
        there.put("during", 2);
        server.restart();
        copied(run, ENTRIES / 2);
        server.pause();
        there.put("during", 3);
        server.resume();

        assertThat(run.done().toCompletableFuture().get(120, TimeUnit.SECONDS).definition())
            .isEqualTo(at("a", "b", "c"));
        assertThat(curator.getZookeeperClient().getZooKeeper().getSessionId()).isNotEqualTo(ended);
        assertThat(there.get("during")).isEqualTo(3);
        for (int i = 0; i < ENTRIES; i++) {
          assertThat(there.get("k" + i)).isEqualTo(i);
        }
        assertThat(there.definition()).isEqualTo(at("a", "b", "c"));
      }
    }
  }

  private static EmbeddedFederation federation() {
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults().withSiteNames("a", "b", "c").withNodesPerSite(1));
  }

  private static CacheDefinition at(String... sites) {
    return CacheDefinition.of("orders", Mode.MWMR)
        .sites(sites)
        .deadline(Duration.ofSeconds(30))
        .build();
  }

  private static EnsembleCacheManager manager(
      EmbeddedFederation federation, Definitions definitions) {
    return EmbeddedSiteConfigurations.manager(federation).definitions(definitions).build();
  }

  /**
   * Waits until at least {@code keys} keys are copied, and checks that the change has not ended by
   * then.
   */
  private static void copied(ChangeRun run, long keys) {
    await("copied keys")
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(90))
        .until(
            () -> {
              assertThat(run.done().toCompletableFuture()).isNotDone();
              return run.copied() >= keys;
            });
  }
}
