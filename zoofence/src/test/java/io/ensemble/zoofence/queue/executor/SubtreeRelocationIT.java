package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A move pauses other queues before it copies anything. */
@Timeout(60)
final class SubtreeRelocationIT {
  private static final InstanceSet ALL = InstanceSet.first(3);
  private static final InstanceSet TWO = InstanceSet.first(2);
  private static final InstanceSet ONE = InstanceSet.of(0);
  private static final int MOVED_TO = 2;
  private static final List<String> NAMES = List.of("1", "2", "3");

  @TempDir Path directory;

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final Map<Integer, QueueReplica> replicas = new HashMap<>();
  private final List<ZooKeeper> direct = new ArrayList<>();
  private final CountDownLatch reached = new CountDownLatch(3);
  private TestDeployment deployment;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 3, "/a 1,2");
    for (int instance = 0; instance < 3; instance++) {
      InstanceServers servers = deployment.deployment().instances().get(instance);
      direct.add(TestDeployment.client(servers.connectString(), 10_000, event -> {}));
      int number = instance;
      // On the executor's thread: a connection before the constructor ends would be missed.
      QueueReplica opened =
          thread
              .submit(
                  () ->
                      new QueueReplica(servers, number, ALL, 1, thread, this::later, new Reached()))
              .get();
      replicas.put(instance, opened);
    }
    for (InstanceSet queue : List.of(ONE, ALL, TWO)) {
      make(0, ZooFencePaths.queue(queue), "");
    }
    for (int instance : ALL.numbers()) {
      make(instance, "/a", TWO.contains(instance) ? "root" : "");
    }
    for (int instance : TWO.numbers()) {
      make(instance, "/a/x", "before");
    }
    assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @AfterEach
  void stop() throws Exception {
    replicas.values().forEach(QueueReplica::close);
    thread.shutdownNow();
    for (ZooKeeper one : direct) {
      one.close();
    }
    deployment.close();
  }

  private void later(Runnable work) {
    thread.schedule(work, 20, TimeUnit.MILLISECONDS);
  }

  private void make(int instance, String path, String data) throws Exception {
    direct.get(instance).create(path, data.getBytes(), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private String move(QueueStore queueStore) throws Exception {
    return new SubtreeRelocation(
            QueueCommand.move("/a", "3", List.of()),
            1,
            NAMES,
            ALL,
            queueStore,
            direct.get(0),
            replicas::get,
            thread)
        .run();
  }

  private FlatteningEpoch epoch() {
    return FlatteningEpoch.read(deployment.node(0, ZooFencePaths.FLATTENING).getData(), NAMES);
  }

  @Test
  void nothingIsCopiedBeforeAllOtherQueuesStandStillTheLargerFirst() throws Exception {
    var stood = new ArrayList<InstanceSet>();
    var copied = new ArrayList<Boolean>();

    String refusal =
        move(
            new NoOpQueueStore() {
              @Override
              public void lock(InstanceSet smaller, long number, Runnable callback) {
                stood.add(smaller);
                copied.add(deployment.node(MOVED_TO, "/a/x") != null);
                // The queue's last command before it is paused.
                change("queue " + smaller.size(), callback);
              }
            });

    assertThat(refusal).isEmpty();
    assertThat(stood).containsExactly(TWO, ONE);
    assertThat(copied).containsOnly(false);
    assertThat(deployment.node(MOVED_TO, "/a/x").getData()).isEqualTo("queue 1".getBytes());
    assertThat(deployment.node(0, "/a/x")).isNull();
    assertThat(epoch().number()).isEqualTo(1);
  }

  private void change(String data, Runnable callback) {
    direct
        .get(1)
        .setData(
            "/a/x",
            data.getBytes(),
            -1,
            (other, at, ignored, done) ->
                direct
                    .get(0)
                    .setData(
                        "/a/x",
                        data.getBytes(),
                        -1,
                        (code, path, context, stat) -> thread.execute(callback),
                        null),
            null);
  }

  @Test
  void aLargerQueueThatBeginsMeanwhileEndsItWithoutAnEffect() throws Exception {
    InstanceSet late = new InstanceSet(0b110);

    String refusal =
        move(
            new NoOpQueueStore() {
              @Override
              public void lock(InstanceSet smaller, long number, Runnable callback) {
                if (smaller.equals(ONE)) {
                  direct
                      .get(0)
                      .create(
                          ZooFencePaths.queue(late),
                          null,
                          Ids.OPEN_ACL_UNSAFE,
                          CreateMode.PERSISTENT,
                          (code, path, context, made) -> thread.execute(callback),
                          null);
                } else {
                  callback.run();
                }
              }
            });

    assertThat(refusal).contains("a queue was created meanwhile");
    assertThat(epoch().move()).isNull();
    assertThat(epoch().number()).isZero();
    assertThat(deployment.node(MOVED_TO, "/a/x")).isNull();
    assertThat(deployment.node(0, "/a/x")).isNotNull();
  }

  private final class Reached implements QueueReplica.Listener {
    @Override
    public void handleReached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
      reached.countDown();
    }

    @Override
    public void handleLost(int instance) {}

    @Override
    public void handleResults(int instance, Map<Long, InstanceResult> results) {}

    @Override
    public void handleSuperseded() {}
  }
}
