package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.RequestInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands that share transactions, some of which are refused. Every response, and the trees, are
 * those of one ZooKeeper that executes the same requests one by one.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
final class BatchedCommandsIT {
  private static final int CALLS = 1_500;
  private static final int UNDER_WAY = 100;
  private static final int ZNODES = 200;
  private static final int INSTANCES = 3;

  @TempDir Path directory;

  private final AtomicInteger mostInOne = new AtomicInteger();
  private final List<CommandExecutor> leaders = new ArrayList<>();
  private TestDeployment deployment;
  private EmbeddedInstance single;
  private ProxyNode node;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, INSTANCES, "");
    single = EmbeddedInstance.start(Files.createDirectory(directory.resolve("single")), 0);
    node = deployment.serve(false);
    RequestInterceptor.install(
        deployment.instances().get(1).server(),
        operations -> {
          mostInOne.accumulateAndGet(countCommands(operations), Math::max);
          return true;
        });
  }

  @AfterEach
  void stop() {
    leaders.forEach(CommandExecutor::close);
    deployment.close();
    single.close();
  }

  /** Starts a leader; a former one ends with commands in flight. */
  private void lead() {
    Deployment joined = deployment.deployment();
    leaders.add(new CommandExecutor(joined.instances(), joined.admin(), joined::flattening));
    if (leaders.size() > 1) {
      leaders.remove(0).close();
    }
  }

  /** The number of commands in a transaction: each writes a slot. */
  private static int countCommands(List<Op> operations) {
    return (int)
        operations.stream()
            .filter(operation -> operation.getType() == OpCode.setData)
            .filter(operation -> operation.getPath().startsWith(ZooFencePaths.APPLIED + "/"))
            .count();
  }

  /** One request to a ZooKeeper; the result is its code, with a name or a version. */
  private interface Call {
    CompletableFuture<String> send(ZooKeeper client);
  }

  private static Call create(String path, CreateMode mode) {
    return client -> {
      var result = new CompletableFuture<String>();
      client.create(
          path,
          path.getBytes(),
          Ids.OPEN_ACL_UNSAFE,
          mode,
          (code, of, context, name) -> result.complete(Code.get(code) + " " + name),
          null);
      return result;
    };
  }

  private static Call change(String path, int version) {
    return client -> {
      var result = new CompletableFuture<String>();
      client.setData(
          path,
          new byte[] {(byte) version},
          version,
          (code, of, context, stat) ->
              result.complete(Code.get(code) + " " + (stat == null ? "" : stat.getVersion())),
          null);
      return result;
    };
  }

  private static Call delete(String path) {
    return client -> {
      var result = new CompletableFuture<String>();
      client.delete(path, -1, (code, of, context) -> result.complete(Code.get(code) + " "), null);
      return result;
    };
  }

  /**
   * Calls of which a few are refused, so that refusals meet batches of several commands.
   *
   * @param isConditional whether changes expect the version that they meet; the version that
   *     another change makes may be unknown to a later leader
   */
  private static List<Call> calls(long seed, boolean isConditional) {
    var random = new Random(seed);
    var calls = new ArrayList<Call>();
    var versions = new HashMap<String, Integer>();
    calls.add(create("/t", CreateMode.PERSISTENT));
    calls.add(create("/t/names", CreateMode.PERSISTENT));
    for (int znode = 0; znode < ZNODES; znode++) {
      calls.add(create("/t/z" + znode, CreateMode.PERSISTENT));
    }
    for (int call = 0; call < CALLS; call++) {
      String path = "/t/z" + random.nextInt(ZNODES);
      switch (random.nextInt(100)) {
        case 0 -> calls.add(create(path, CreateMode.PERSISTENT)); // Nearly always there.
        case 1 -> calls.add(change(path, 1_000));
        case 2 -> calls.add(delete("/t/none"));
        case 3 -> {
          calls.add(delete(path));
          calls.add(create(path, CreateMode.EPHEMERAL));
          calls.add(create(path + "/below", CreateMode.PERSISTENT));
          calls.add(delete(path));
          calls.add(create(path, CreateMode.PERSISTENT));
          versions.remove(path);
        }
        default -> {
          if (call / 100 % 2 == 0) {
            calls.add(create("/t/names/n-", CreateMode.PERSISTENT_SEQUENTIAL));
          } else {
            int version = versions.merge(path, 1, Integer::sum) - 1;
            calls.add(change(path, isConditional ? version : -1));
          }
        }
      }
    }
    return calls;
  }

  private interface Step {
    void run(int call);
  }

  private static List<String> run(ZooKeeper client, List<Call> calls, Step step) throws Exception {
    var permits = new Semaphore(UNDER_WAY);
    var results = new ArrayList<CompletableFuture<String>>();
    for (int call = 0; call < calls.size(); call++) {
      permits.acquire();
      CompletableFuture<String> result = calls.get(call).send(client);
      results.add(result.whenComplete((text, failure) -> permits.release()));
      step.run(call);
    }
    var texts = new ArrayList<String>();
    for (CompletableFuture<String> result : results) {
      texts.add(result.get(60, TimeUnit.SECONDS));
    }
    return texts;
  }

  private List<String> runOnOneServer(List<Call> calls) throws Exception {
    String address = single.servers("single").connectString();
    try (ZooKeeper client = TestDeployment.client(address, 30_000, event -> {})) {
      return run(client, calls, call -> {});
    }
  }

  /** What a client can read below a path: data, versions and counts of changes. */
  private static TreeMap<String, String> tree(EmbeddedInstance instance, String root) {
    var found = new TreeMap<String, String>();
    addTree(instance, root, found);
    return found;
  }

  private static void addTree(
      EmbeddedInstance instance, String path, TreeMap<String, String> found) {
    DataNode znode = Objects.requireNonNull(instance.server().getZKDatabase().getNode(path), path);
    found.put(
        path,
        znode.stat.getVersion()
            + " "
            + znode.stat.getCversion()
            + " "
            + Arrays.toString(znode.getData()));
    for (String child : List.copyOf(znode.getChildren())) {
      addTree(instance, path + "/" + child, found);
    }
  }

  private void assertTreesEqual() {
    for (EmbeddedInstance instance : deployment.instances()) {
      assertThat(tree(instance, "/t")).isEqualTo(tree(single, "/t"));
    }
  }

  @Test
  void commandsInBatchesHaveTheResultsOfSingleOnes() throws Exception {
    List<Call> calls = calls(1, false);
    List<String> expected = runOnOneServer(calls);
    lead();

    List<String> results;
    try (ZooKeeper client = TestDeployment.client(node)) {
      results = run(client, calls, call -> {});
    }

    assertThat(results).isEqualTo(expected);
    assertThat(expected).anyMatch(text -> text.startsWith("NODEEXISTS"));
    assertThat(mostInOne).as("commands in one transaction").hasValueGreaterThan(1);
    assertTreesEqual();
  }

  @Test
  void aLeaderThatEndsBetweenBatchesLosesAndRepeatsNothing() throws Exception {
    List<Call> calls = calls(2, true);
    List<String> expected = runOnOneServer(calls);
    lead();

    List<String> results;
    try (ZooKeeper client = TestDeployment.client(node)) {
      results =
          run(
              client,
              calls,
              call -> {
                if (call % 400 == 300) {
                  lead();
                }
              });
    }

    for (int call = 0; call < results.size(); call++) {
      if (!results.get(call).startsWith(Code.OPERATIONTIMEOUT.name())) {
        assertThat(results.get(call)).as("call %s", call).isEqualTo(expected.get(call));
      } else {
        assertThat(expected.get(call))
            .as("only the reason of a refusal is lost; call %s", call)
            .doesNotStartWith(Code.OK.name());
      }
    }
    assertThat(mostInOne).as("commands in one transaction").hasValueGreaterThan(1);
    assertTreesEqual();
  }

  @Test
  void ephemeralZnodesMadeInBatchesEndWithTheirSession() throws Exception {
    lead();
    try (ZooKeeper client = TestDeployment.client(node)) {
      client.create("/t", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      ZooKeeper owner = TestDeployment.client(node);
      var made = new ArrayList<Call>();
      for (int call = 0; call < ZNODES; call++) {
        made.add(create("/t/e" + call, CreateMode.EPHEMERAL));
        made.add(create("/t/p" + call, CreateMode.PERSISTENT));
      }
      made.add(create("/t/e0", CreateMode.PERSISTENT));
      assertThat(run(owner, made, call -> {}))
          .endsWith("NODEEXISTS null")
          .filteredOn(text -> text.startsWith("OK"))
          .hasSize(2 * ZNODES);
      assertThat(mostInOne).as("commands in one transaction").hasValueGreaterThan(1);

      RequestInterceptor.expire(deployment.instances().get(0).server(), owner.getSessionId());
      lead();

      await("the end of the session")
          .atMost(Duration.ofSeconds(120))
          .until(() -> client.getChildren("/t", false).size() == ZNODES);
      owner.close();
      for (int instance = 0; instance < INSTANCES; instance++) {
        assertThat(Objects.requireNonNull(deployment.node(instance, "/t")).getChildren())
            .hasSize(ZNODES)
            .allMatch(name -> name.startsWith("p"));
        assertThat(
                Objects.requireNonNull(deployment.node(instance, ZooFencePaths.OWNED))
                    .getChildren())
            .isEmpty();
      }
    }
  }
}
