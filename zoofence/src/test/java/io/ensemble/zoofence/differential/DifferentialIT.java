package io.ensemble.zoofence.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same calls to one ZooKeeper and to several behind a proxy have the same replies. */
final class DifferentialIT {
  private static final int CALLS = Boolean.getBoolean("ensemble.deep") ? 20_000 : 300;

  @TempDir Path directory;

  @BeforeEach
  void letNothingGoOfItself() {
    System.setProperty("zookeeper.extendedTypesEnabled", "true");
    System.setProperty("znode.container.checkIntervalMs", "100000000");
  }

  @AfterEach
  void reset() {
    System.clearProperty("zookeeper.extendedTypesEnabled");
    System.clearProperty("znode.container.checkIntervalMs");
  }

  @ParameterizedTest
  @CsvSource({
    "1, ''",
    "2, '/ hash 1'",
    "3, '/ levels 1 1'",
    "4, '/a 1 2;/a/a 1;/a/b 2;/b 3'",
    "5, '/a 2 3;/a/b 3;/c hash 1'"
  })
  void repliesAreThoseOfOneServer(long seed, String rules) throws Exception {
    var instances = new ArrayList<EmbeddedInstance>();
    var servers = new ArrayList<InstanceServers>();
    for (int i = 0; i < 4; i++) {
      instances.add(EmbeddedInstance.start(Files.createDirectory(directory.resolve("i" + i)), 0));
      servers.add(instances.get(i).servers(Integer.toString(i)));
    }
    InstanceServers alone = servers.remove(0);
    Deployment deployment =
        Deployment.join(servers, servers.get(0), rules.replace(';', '\n'), Duration.ofSeconds(20));
    try (ProxyNode node =
            ProxyNode.serve(
                deployment,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                true,
                Duration.ofSeconds(10));
        ZooKeeper one = client(alone.connectString());
        ZooKeeper several = client("127.0.0.1:" + node.address().getPort())) {
      var calls = new RandomCalls(seed);
      var last = new ArrayList<String>();
      for (int number = 0; number < CALLS; number++) {
        RandomCalls.Named call = calls.next();
        String expected = call.answer(one);
        last.add(call.words() + " -> " + expected);

        String answered = call.answer(several);

        assertThat(answered)
            .as("call %s under '%s' after%n%s", number, rules, tail(last))
            .isEqualTo(expected);
      }
      assertThat(tree(several)).isEqualTo(tree(one));
    } finally {
      instances.forEach(EmbeddedInstance::close);
    }
  }

  private static String tail(List<String> calls) {
    return String.join("\n", calls.subList(Math.max(0, calls.size() - 25), calls.size()));
  }

  private static TreeMap<String, String> tree(ZooKeeper client)
      throws KeeperException, InterruptedException {
    var tree = new TreeMap<String, String>();
    for (String path : ZKUtil.listSubTreeBFS(client, "/")) {
      if (!path.startsWith("/zookeeper")) {
        tree.put(path, new String(client.getData(path, false, null)));
      }
    }
    return tree;
  }

  private static ZooKeeper client(String address) throws Exception {
    var connected = new CountDownLatch(1);
    var made = new ZooKeeper(address, 20_000, event -> connected.countDown());
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
    return made;
  }
}
