package io.ensemble.zoofence.curator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.proxy.ProxyNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.shared.SharedCount;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Curator's recipes work through ZooFence as they do on one ZooKeeper. */
final class CuratorIT {

  private static final int PATIENCE_SECONDS = 30;

  @TempDir static Path directory;

  private static TestDeployment deployment;
  private static ProxyNode proxy;
  private static final AtomicInteger TRIALS = new AtomicInteger();

  /** How Curator connects to the deployment, and which ensembles hold the paths. */
  enum Way {
    PROXY_TO_ONE("/one"),
    PROXY_TO_ALL("/all"),
    FACTORY_TO_ONE("/one"),
    FACTORY_TO_ALL("/all");

    private final String above;

    Way(String above) {
      this.above = above;
    }

    private boolean isFactory() {
      return name().startsWith("FACTORY");
    }
  }

  private final List<AutoCloseable> opened = new ArrayList<>();
  private String base = "";

  @BeforeAll
  static void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/one 2");
    proxy = deployment.serve(true);
  }

  @AfterAll
  static void stop() {
    deployment.close();
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private CuratorFramework curator(Way way) throws InterruptedException {
    List<CuratorFramework> made = CuratorExample.made(TestDeployment.address(proxy), ensembles());
    CuratorFramework curator = closed(made.get(way.isFactory() ? 1 : 0));
    curator.start();
    assertThat(curator.blockUntilConnected(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return curator;
  }

  private static String ensembles() {
    return deployment.instances().stream()
        .map(instance -> "127.0.0.1:" + instance.port())
        .collect(Collectors.joining("|"));
  }

  /** A new path for each trial. */
  private String fresh(Way way) {
    base = way.above + "/trial" + TRIALS.incrementAndGet();
    return base;
  }

  private <T extends AutoCloseable> T closed(T one) {
    opened.add(one);
    return one;
  }

  @Test
  void theDocumentShowsHowTheClientsHereAreMade() throws Exception {
    Path source =
        Path.of("../zoofence/src/test/java/io/ensemble/zoofence/curator/CuratorExample.java");
    List<String> lines = Files.readAllLines(source);
    List<String> example =
        lines.subList(lines.indexOf("    // readme:begin") + 1, lines.indexOf("    // readme:end"));

    assertThat(Files.readString(Path.of("../docs/zoofence.md")))
        .contains("```java\n" + String.join("\n", example).stripIndent() + "\n```");
  }

  @ParameterizedTest
  @EnumSource
  void aLatchHasOneLeaderAndTheNextWhenThatLeaves(Way way) throws Exception {
    String path = fresh(way);
    var first = new LeaderLatch(curator(way), path, "first");
    var second = closed(new LeaderLatch(curator(way), path, "second"));

    first.start();
    assertThat(first.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    second.start();

    assertThat(second.getLeader().getId()).isEqualTo("first");
    assertThat(second.hasLeadership()).isFalse();
    first.close();
    assertThat(second.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aMutexIsHeldByOneAtATime(Way way) throws Exception {
    String path = fresh(way);
    List<CuratorFramework> clients = List.of(curator(way), curator(way));
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> works =
          IntStream.range(0, 4)
              .mapToObj(
                  number ->
                      (Callable<Integer>)
                          () -> {
                            var mutex = new InterProcessMutex(clients.get(number % 2), path);
                            for (int turn = 0; turn < 5; turn++) {
                              assertThat(mutex.acquire(PATIENCE_SECONDS, TimeUnit.SECONDS))
                                  .isTrue();
                              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                              Thread.onSpinWait();
                              inside.decrementAndGet();
                              mutex.release();
                            }
                            return number;
                          })
              .toList();

      for (Future<Integer> work : threads.invokeAll(works)) {
        work.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(most).hasValue(1);
    assertThat(clients.get(0).getChildren().forPath(path)).as("nobody waits").isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aCacheIsToldOfEveryChange(Way way) throws Exception {
    String path = fresh(way);
    CuratorFramework writer = curator(way);
    var told = new LinkedBlockingQueue<String>();
    CuratorCache cache = closed(CuratorCache.build(curator(way), path));
    cache
        .listenable()
        .addListener(
            CuratorCacheListener.builder()
                .forCreates(node -> told.add("made " + node.getPath()))
                .forChanges((old, node) -> told.add("changed " + new String(node.getData(), UTF_8)))
                .forDeletes(node -> told.add("gone " + node.getPath()))
                .forInitialized(() -> told.add("ready"))
                .build());
    writer.create().creatingParentsIfNeeded().forPath(path + "/x", "1".getBytes(UTF_8));
    cache.start();

    assertThat(List.of(next(told), next(told), next(told)))
        .containsExactlyInAnyOrder("made " + path, "made " + path + "/x", "ready");
    writer.setData().forPath(path + "/x", "2".getBytes(UTF_8));
    assertThat(next(told)).isEqualTo("changed 2");
    writer.create().withMode(CreateMode.EPHEMERAL).forPath(path + "/x/y");
    assertThat(next(told)).isEqualTo("made " + path + "/x/y");
    writer.close();
    assertThat(next(told)).as("its session has ended").isEqualTo("gone " + path + "/x/y");
    assertThat(cache.get(path + "/x")).isPresent();
  }

  private static String next(LinkedBlockingQueue<String> told) throws InterruptedException {
    return String.valueOf(told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void aCountThatTwoChangeLosesNothing(Way way) throws Exception {
    String path = fresh(way);
    SharedCount first = closed(new SharedCount(curator(way), path, 0));
    SharedCount second = closed(new SharedCount(curator(way), path, 0));
    first.start();
    second.start();
    var seen = new LinkedBlockingQueue<String>();
    second.addListener(new RecipeCallbacks.Counts(seen));

    for (int turn = 0; turn < 10; turn++) {
      add(turn % 2 == 0 ? first : second);
    }

    assertThat(seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isNotNull();
    first.setCount(77);
    String last = "";
    while (!last.equals("77")) {
      last = next(seen);
    }
    assertThat(second.getCount()).isEqualTo(77);
  }

  private static void add(SharedCount count) throws Exception {
    int before = count.getVersionedValue().getVersion();
    while (!count.trySetCount(count.getVersionedValue(), count.getCount() + 1)) {
      assertThat(count.getVersionedValue().getVersion()).isGreaterThanOrEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aQueueGivesEverythingOnceAndInOrder(Way way) throws Exception {
    String path = fresh(way);
    var taken = new LinkedBlockingQueue<String>();
    DistributedQueue<String> consumer =
        closed(
            QueueBuilder.builder(
                    curator(way),
                    new RecipeCallbacks.Taking(taken),
                    new RecipeCallbacks.Texts(),
                    path)
                .buildQueue());
    DistributedQueue<String> producer =
        closed(
            QueueBuilder.builder(curator(way), null, new RecipeCallbacks.Texts(), path)
                .buildQueue());
    producer.start();
    List<String> put = IntStream.range(0, 20).mapToObj(number -> "item " + number).toList();

    for (String item : put) {
      producer.put(item);
    }
    consumer.start();

    var all = new ArrayList<String>();
    while (all.size() < put.size()) {
      all.add(next(taken));
    }
    assertThat(all).isEqualTo(put);
  }

  @ParameterizedTest
  @EnumSource
  void aTransactionIsDoneWhollyOrNotAtAll(Way way) throws Exception {
    String path = fresh(way);
    CuratorFramework curator = curator(way);
    curator.create().creatingParentsIfNeeded().forPath(path);

    List<CuratorTransactionResult> done =
        curator
            .transaction()
            .forOperations(
                curator.transactionOp().create().forPath(path + "/a", "1".getBytes(UTF_8)),
                curator.transactionOp().create().forPath(path + "/b"),
                curator.transactionOp().setData().forPath(path, "2".getBytes(UTF_8)),
                curator.transactionOp().delete().forPath(path + "/b"));

    assertThat(done).extracting(CuratorTransactionResult::getError).containsOnly(0);
    assertThat(curator.getData().forPath(path)).asString().isEqualTo("2");
    assertThatThrownBy(
            () ->
                curator
                    .transaction()
                    .forOperations(
                        curator.transactionOp().create().forPath(path + "/c"),
                        curator.transactionOp().check().withVersion(9).forPath(path + "/a")))
        .isInstanceOf(KeeperException.BadVersionException.class);
    assertThat(curator.getChildren().forPath(path)).containsExactly("a");
  }

  /** A transaction changes a path at one ensemble and a path at all ensembles together. */
  @ParameterizedTest
  @EnumSource(names = {"PROXY_TO_ALL", "FACTORY_TO_ALL"})
  void aTransactionReachesAcrossEnsembles(Way way) throws Exception {
    String path = fresh(way);
    String other = "/one/of" + path.substring(path.lastIndexOf('/') + 1);
    CuratorFramework curator = curator(way);
    curator.create().creatingParentsIfNeeded().forPath(path);
    curator.create().creatingParentsIfNeeded().forPath(other);

    curator
        .transaction()
        .forOperations(
            curator.transactionOp().setData().forPath(path, "both".getBytes(UTF_8)),
            curator.transactionOp().create().forPath(other + "/x", "both".getBytes(UTF_8)));

    assertThat(curator.getData().forPath(path)).asString().isEqualTo("both");
    assertThat(curator.getData().forPath(other + "/x")).asString().isEqualTo("both");
  }
}
