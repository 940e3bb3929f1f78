package io.ensemble.deploy;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.testkit.link.Ports;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.server.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A federation whose catalog is on ZooFence: three ensembles, each site's own part at the site's,
 * two proxies. Sites and proxies are processes; whichever proxy dies, all goes on.
 */
@Timeout(180)
class CatalogOnZooFenceIT {

  private static final List<String> ENSEMBLES = List.of("main", "lyon", "oslo");

  @TempDir Path directory;

  private final int port = Ports.reserve(2);
  private final String catalog = "zk://%s,%s/ensemble".formatted(address(0), address(1));
  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private final List<Launched> processes = new ArrayList<>();
  private Path rules = Path.of("");

  @BeforeEach
  void start() throws Exception {
    for (String name : ENSEMBLES) {
      instances.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve(name)), 0));
    }
    Ran flattening =
        Ran.ensemble("catalog", "flattening", "--shared", "main", "lyon=lyon", "oslo=oslo");
    rules = Files.writeString(directory.resolve("rules"), flattening.out());
  }

  @AfterEach
  void stop() throws Exception {
    for (Launched process : processes) {
      process.close();
    }
    instances.forEach(EmbeddedInstance::close);
  }

  private String address(int proxy) {
    return "127.0.0.1:" + (port + proxy);
  }

  private Launched proxy(int number) throws IOException {
    List<String> ensembles = new ArrayList<>();
    for (int i = 0; i < ENSEMBLES.size(); i++) {
      ensembles.add(ENSEMBLES.get(i) + "=127.0.0.1:" + instances.get(i).port());
    }
    return launched(
        "256m",
        List.of(
            "zoofence",
            "--json",
            "--ensembles",
            String.join("|", ensembles),
            "--port",
            Integer.toString(port + number),
            "--flattening",
            rules.toString()));
  }

  private Launched site(String name) throws IOException {
    return launched(
        "512m", List.of("up", "--json", "--site", name, "--nodes", "1", "--catalog", catalog));
  }

  private Launched launched(String heap, List<String> arguments) throws IOException {
    Launched started = Launched.started(heap, arguments);
    processes.add(started);
    return started;
  }

  @Test
  void cachesComeChangeAndGoWhicheverProxyDies() throws Exception {
    Launched first = proxy(0);
    Launched second = proxy(1);
    first.published();
    second.published();
    List<Launched> sites = List.of(site("lyon"), site("oslo"));
    for (Launched site : sites) {
      site.published();
    }
    ran("caches", "create", "c", "--mode", "weak", "--sites", "lyon,oslo");
    ran("put", "c", "k", "v");
    try (EnsembleCacheManager manager = EnsembleCacheManager.builder().catalog(catalog).build()) {
      assertThat(manager.getCache("c").get("k")).isEqualTo("v");

      first.kill();
      manager.createCache(CacheDefinition.of("d", Mode.MWMR).sites("lyon", "oslo").build());
      ran("caches", "alter", "c", "--mode", "mwmr");
      proxy(0).published();
      second.kill();
      manager.deleteCache("d");

      assertThat(manager.getCache("c").get("k")).isEqualTo("v");
      assertThat(ran("caches", "list").out()).contains("mwmr").doesNotContain("d ");
      long now = System.currentTimeMillis() / 1000;
      await("both sites report that they are cared for after that")
          .atMost(2, MINUTES)
          .pollInterval(200, MILLISECONDS)
          .until(() -> isCaredForAt("lyon", now) && isCaredForAt("oslo", now));
      assertThat(changed("/ensemble/cache/c")).containsExactly("main");
      assertThat(changed("/ensemble/task/site%20lyon")).containsExactly("lyon");
      assertThat(changed("/ensemble/task/site%20oslo")).containsExactly("oslo");
    }
  }

  private Ran ran(String... command) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("--catalog", catalog));
    Ran ran = Ran.ensemble(all);
    assertThat(ran.code()).as(ran.err()).isZero();
    return ran;
  }

  /** Whether the maintenance of a site has reported at that second or later. */
  private boolean isCaredForAt(String site, long second) {
    JsonNode care = null;
    try {
      for (JsonNode one : ran("sites", "list", "--json").json().get("sites")) {
        care = one.get("name").asText().equals(site) ? one.get("care") : care;
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return care != null && care.path("at").asLong() >= second;
  }

  /** The ensembles at which a node has changed since it was made. */
  private List<String> changed(String path) {
    List<String> at = new ArrayList<>();
    for (int i = 0; i < ENSEMBLES.size(); i++) {
      DataNode node = instances.get(i).server().getZKDatabase().getNode(path);
      if (node != null && node.stat.getVersion() > 0) {
        at.add(ENSEMBLES.get(i));
      }
    }
    return at;
  }
}
