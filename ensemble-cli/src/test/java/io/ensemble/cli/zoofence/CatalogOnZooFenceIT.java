package io.ensemble.cli.zoofence;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.check.federation.JoinedSite;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.cli.CliProcess;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.link.Ports;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.server.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A federation whose catalog is on ZooFence: three ensembles, two proxies, and the part of each
 * site at that site. Sites and proxies are in this JVM, or processes. When either proxy ends, the
 * federation goes on.
 */
@Timeout(600)
@Tag("nightly")
class CatalogOnZooFenceIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final List<String> ENSEMBLES = List.of("main", "lyon", "oslo");

  @TempDir Path directory;

  private final int port = Ports.reserve(2);
  private final String catalog = "zk://%s,%s/ensemble".formatted(address(0), address(1));
  private final List<EmbeddedInstance> instances = new ArrayList<>();
  private final List<AutoCloseable> started = new ArrayList<>();
  private Path rules = Path.of("");

  @BeforeEach
  void start() throws Exception {
    for (String name : ENSEMBLES) {
      instances.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve(name)), 0));
    }
    CliResult flattening =
        CliResult.ensemble("catalog", "flattening", "--shared", "main", "lyon=lyon", "oslo=oslo");
    rules = Files.writeString(directory.resolve("rules"), flattening.out());
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable one : started) {
      one.close();
    }
    instances.forEach(EmbeddedInstance::close);
  }

  private String address(int proxy) {
    return "127.0.0.1:" + (port + proxy);
  }

  /** Starts the parts of the federation. */
  private interface Starter {

    /** Starts a proxy; closing it ends it with all its connections. */
    AutoCloseable proxy(int number) throws Exception;

    /** Starts a site that is in the catalog. */
    AutoCloseable site(String name) throws Exception;
  }

  private final class InThisJvm implements Starter {

    @Override
    public AutoCloseable proxy(int number) throws Exception {
      List<InstanceServers> ensembles = new ArrayList<>();
      for (int i = 0; i < ENSEMBLES.size(); i++) {
        ensembles.add(instances.get(i).servers(ENSEMBLES.get(i)));
      }
      Deployment deployment =
          Deployment.join(ensembles, ensembles.get(0), Files.readString(rules), PATIENCE);
      ProxyNode node =
          ProxyNode.serve(
              deployment,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port + number),
              true,
              PATIENCE);
      AtomicBoolean serves = new AtomicBoolean(true);
      return () -> {
        if (serves.getAndSet(false)) {
          node.close();
        }
      };
    }

    @Override
    public AutoCloseable site(String name) throws Exception {
      return JoinedSite.start(
          name, Map.of(), catalog, LocalPlan.embedded(1, 1), true, directory, line -> {});
    }
  }

  private final class AsProcesses implements Starter {

    @Override
    public AutoCloseable proxy(int number) throws Exception {
      return CatalogOnZooFenceIT.this.proxy(number);
    }

    @Override
    public AutoCloseable site(String name) throws Exception {
      return CatalogOnZooFenceIT.this.site(name);
    }
  }

  private CliProcess proxy(int number) throws IOException {
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

  private CliProcess site(String name) throws IOException {
    return launched(
        "512m", List.of("up", "--json", "--site", name, "--nodes", "1", "--catalog", catalog));
  }

  private CliProcess launched(String heap, List<String> arguments) throws IOException {
    CliProcess launched = CliProcess.started(heap, arguments);
    started.add(launched);
    launched.published();
    return launched;
  }

  private AutoCloseable kept(AutoCloseable one) {
    started.add(one);
    return one;
  }

  @Test
  void cachesComeChangeAndGoWhicheverProxyEnds() throws Exception {
    cachesComeChangeAndGo(new InThisJvm());
  }

  /** The long form: proxies are killed, and sites are separate processes. */
  @Test
  @Tag("nightly")
  void cachesComeChangeAndGoWhicheverProxyIsKilled() throws Exception {
    cachesComeChangeAndGo(new AsProcesses());
  }

  private void cachesComeChangeAndGo(Starter starter) throws Exception {
    AutoCloseable first = kept(starter.proxy(0));
    AutoCloseable second = kept(starter.proxy(1));
    kept(starter.site("lyon"));
    kept(starter.site("oslo"));
    ran("caches", "create", "c", "--mode", "weak", "--sites", "lyon,oslo");
    ran("put", "c", "k", "v");
    try (EnsembleCacheManager manager = EnsembleCacheManager.builder().catalog(catalog).build()) {
      assertThat(manager.getCache("c").get("k")).isEqualTo("v");

      first.close();
      manager.createCache(CacheDefinition.of("d", Mode.MWMR).sites("lyon", "oslo").build());
      ran("caches", "alter", "c", "--mode", "mwmr");
      kept(starter.proxy(0));
      second.close();
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

  private CliResult ran(String... command) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("--catalog", catalog));
    CliResult ran = CliResult.ensemble(all);
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

  /** The ensembles at which a node has changed since it was created. */
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
