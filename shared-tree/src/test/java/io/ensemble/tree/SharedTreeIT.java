package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.EnsembleCache;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ThreeSites;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trees on real stores. Each factory stands for a process. */
@Timeout(180)
class SharedTreeIT {

  private static final TreeSettings SMALL = TreeSettings.DEFAULT.sizes(2_000, 2_000, 500);
  private static final int TRANSACTIONS = 40;
  private static final int CLIENTS = 3;

  @Test
  void processesShareATreeOnOneCluster() throws Exception {
    EmbeddedSite site = SharedFederation.threeNodes().site("lyon");
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    site.endpoints()
        .forEach(at -> configuration.addServer().host(at.getHostString()).port(at.getPort()));
    try (RemoteCacheManager manager = new RemoteCacheManager(configuration.build())) {
      try {
        HotRodObjectStore one = new HotRodObjectStore(HotRodObjectStore.cache(manager, "tree-it"));
        HotRodObjectStore other =
            new HotRodObjectStore(HotRodObjectStore.cache(manager, "tree-it"));
        share(List.of(one, other));
      } finally {
        manager.administration().removeCache("tree-it");
      }
    }
  }

  @Test
  void processesShareATreeAcrossSitesOfWhichOneFails(@TempDir Path catalog) throws Exception {
    try (ThreeSites sites = ThreeSites.start(catalog)) {
      List<ObjectStore> stores = new ArrayList<>();
      for (EnsembleCache<String, byte[]> cache : sites.caches()) {
        stores.add(new EnsembleObjectStore(cache));
      }
      share(stores);
      sites.site("rome").kill();
      share(stores);
    }
  }

  /** Each client counts, under a node of its own and under one of all. */
  private static void share(List<ObjectStore> stores) throws Exception {
    List<TreeEvent> events = new CopyOnWriteArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(stores.size() * CLIENTS);
    List<AtomicObjectFactory> factories = stores.stream().map(AtomicObjectFactory::on).toList();
    List<SharedTree> trees =
        factories.stream()
            .map(factory -> SharedTree.builder(factory, "guests").settings(SMALL).open())
            .toList();
    try {
      trees.get(0).write("/count", "0".getBytes(UTF_8));
      List<Future<?>> all = new ArrayList<>();
      try (TreeWatch watch = trees.get(0).watch("/count", events::add)) {
        for (int process = 0; process < trees.size(); process++) {
          for (int client = 0; client < CLIENTS; client++) {
            SharedTree tree = trees.get(process);
            String own = "/clients/%d-%d".formatted(process, client);
            all.add(threads.submit(() -> count(tree, own)));
          }
        }
        for (Future<?> each : all) {
          each.get();
        }

        int expected = trees.size() * CLIENTS * TRANSACTIONS;
        for (SharedTree tree : trees) {
          assertThat(number(tree, "/count")).isEqualTo(expected);
          for (String name : tree.children("/clients")) {
            assertThat(number(tree, "/clients/" + name)).isEqualTo(TRANSACTIONS);
          }
        }
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> events.stream().anyMatch(TreeEvent::isGap) || events.size() == expected);
        assertThat(events).extracting(TreeEvent::commit).isSorted().doesNotHaveDuplicates();
      }
    } finally {
      threads.shutdownNow();
      trees.forEach(SharedTree::close);
      assertThat(SharedTree.delete(factories.get(0), "guests")).isTrue();
      factories.forEach(AtomicObjectFactory::close);
    }
  }

  private static int number(SharedTree tree, String path) {
    return Integer.parseInt(new String(tree.read(path).orElseThrow(), UTF_8));
  }

  private static void count(SharedTree tree, String own) {
    for (int i = 1; i <= TRANSACTIONS; i++) {
      byte[] mine = String.valueOf(i).getBytes(UTF_8);
      tree.transact(
          t -> {
            int count = Integer.parseInt(new String(t.read("/count").orElseThrow(), UTF_8));
            t.write("/count", String.valueOf(count + 1).getBytes(UTF_8));
            t.write(own, mine);
            return count;
          });
    }
  }
}
