package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.process.child.Signals;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes start while a peer is paused, as on a busy machine. */
@Timeout(400)
@Tag("nightly")
class NodeStartsAloneIT {

  @TempDir Path directory;

  private final AtomicLong standing = new AtomicLong();

  /** Otherwise the node would form a cluster of its own, and never open the store on its disk. */
  @Test
  void aNodeThatFindsNoPeerIsStartedAgainAndHasItsReplica() throws Exception {
    ProcessOptions options =
        FederationFixtures.options(directory.resolve("data"), 3)
            .withSiteNames(List.of("lyon"))
            .withPersistence(true)
            .withProgress(this::hear);
    try (ProcessFederation federation = ProcessFederation.start(options);
        EnsembleCacheManager manager =
            FederationFixtures.manager(federation, directory, SiteStorage.DISK)) {
      ProcessSite lyon = federation.sites().get(0);
      EnsembleCache<String, Integer> cache =
          manager.createCache(CacheDefinition.of("stock", Mode.MWMR).sites("lyon").build());
      Map<String, Integer> written = new TreeMap<>();
      for (int i = 0; i < 50; i++) {
        cache.put("k" + i, i);
        written.put("k" + i, i);
      }
      lyon.kill();
      lyon.startNode(0);
      standing.set(lyon.pid(0));
      Signals.stop(standing.get());

      lyon.start();

      assertThat(standing).as("a node found no peer").hasValue(0);
      assertThat(cache.getAll(written.keySet())).isEqualTo(written);
      await("all replicas are whole; one that is lost is refilled after a minute only")
          .atMost(Duration.ofSeconds(30))
          .until(() -> manager.redundancy("stock").orElseThrow().missing().isEmpty());
    }
  }

  private void hear(String progress) {
    if (progress.contains("found no peer")) {
      long pid = standing.getAndSet(0);
      if (pid != 0) {
        goOn(pid);
      }
    }
  }

  private static void goOn(long pid) {
    try {
      Process kill = new ProcessBuilder("sh", "-c", "kill -CONT " + pid).start();
      assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
