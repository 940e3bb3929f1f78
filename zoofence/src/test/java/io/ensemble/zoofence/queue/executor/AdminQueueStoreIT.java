package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.plan.OutcomeBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queues that are paused for a command of a larger set, in the administrative tree. */
@Timeout(60)
final class AdminQueueStoreIT {
  private static final InstanceSet ONE = InstanceSet.of(0);
  private static final InstanceSet TWO = InstanceSet.first(2);
  private static final String GRANT = ZooFencePaths.GRANTS + "/1:3:1";
  private static final String CANDIDATE = ZooFencePaths.LEADERS + "/candidate";
  private static final int LATER_MILLIS = 20;
  private static final int TIMES = 5;

  @TempDir Path directory;

  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger tries = new AtomicInteger();
  private TestDeployment deployment;
  private ZooKeeper admin;

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory, 2, "/a 1");
    admin =
        TestDeployment.client(deployment.deployment().admin().connectString(), 10_000, event -> {});
    make(ZooFencePaths.queue(TWO));
    make(ZooFencePaths.queue(ONE));
    make(CANDIDATE);
  }

  @AfterEach
  void stop() throws Exception {
    thread.shutdownNow();
    admin.close();
    deployment.close();
  }

  private void make(String path) throws Exception {
    admin.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private AdminQueueStore desk() {
    return new AdminQueueStore(
        () -> admin,
        "3",
        CANDIDATE,
        new CommandNumbering(CommandNumbering.ROLL_AT),
        thread::execute,
        this::later,
        AdminAccess.OPEN);
  }

  private void later(Runnable work) {
    tries.incrementAndGet();
    thread.schedule(work, LATER_MILLIS, TimeUnit.MILLISECONDS);
  }

  private List<String> queued() {
    return List.copyOf(deployment.node(0, ZooFencePaths.queue(ONE)).getChildren());
  }

  private void awaitQueued(int count) {
    await("commands in the queue: " + count)
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> queued().size() >= count);
  }

  /** Waits as long as several retries would take, if there were any. */
  private static void pause() {
    await("time for tries")
        .pollDelay(20 * LATER_MILLIS, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> true);
  }

  @Test
  void whoeverAsksAgainForAQueueToStandStillIsToldAndQueuesNothingMore() throws Exception {
    var desk = desk();
    var granted = new CountDownLatch(TIMES + 1);

    for (int time = 0; time < TIMES; time++) {
      thread.execute(() -> desk.lock(ONE, 1, granted::countDown));
    }
    awaitQueued(1);
    pause();
    assertThat(queued()).hasSize(1);
    assertThat(granted.getCount()).isEqualTo(TIMES + 1);
    assertThat(tries).as("of what is told when it is there").hasValue(0);

    make(GRANT);
    thread.execute(() -> desk.lock(ONE, 1, granted::countDown));
    assertThat(granted.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(queued()).hasSize(1);
  }

  @Test
  void anotherCommandAsksForItself() throws Exception {
    var desk = desk();

    thread.execute(() -> desk.lock(ONE, 1, () -> {}));
    thread.execute(() -> desk.lock(ONE, 2, () -> {}));
    awaitQueued(2);

    assertThat(queued()).hasSize(2);
  }

  @Test
  void aCommandInAReplacedQueueHasANameOfItsOwnAndWaitsForTheGrantOfItsPath() throws Exception {
    var numbering = new CommandNumbering(CommandNumbering.ROLL_AT);
    var desk =
        new AdminQueueStore(
            () -> admin, "3", CANDIDATE, numbering, thread::execute, this::later, AdminAccess.OPEN);
    String former = desk.holder(numbering.toNumber(1));
    numbering.readBase(numbering.nextBase());
    long number = numbering.toNumber(1);
    var granted = new CountDownLatch(1);

    assertThat(desk.holder(number)).isNotEqualTo(former);
    thread.execute(() -> desk.lock(ONE, number, granted::countDown));
    awaitQueued(1);
    make(GRANT);
    assertThat(granted.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aMoveInAReplacedQueueIsReportedBesideAReportThatNoProcessHasFetched() throws Exception {
    var numbering = new CommandNumbering(CommandNumbering.ROLL_AT);
    var desk =
        new AdminQueueStore(
            () -> admin, "3", CANDIDATE, numbering, thread::execute, this::later, AdminAccess.OPEN);
    String former = enqueue();
    report(desk, numbering.toNumber(0), "former");
    admin.delete(ZooFencePaths.queue(TWO), -1);
    make(ZooFencePaths.queue(TWO));
    numbering.readBase(numbering.nextBase());

    assertThat(enqueue()).as("the name occurs again").isEqualTo(former);
    report(desk, numbering.toNumber(0), "later");

    assertThat(deployment.node(0, former)).as("the command").isNull();
    assertThat(reports()).containsExactlyInAnyOrder("former", "later");
    report(desk, numbering.toNumber(0), "later"); // A retry after a lost response.
    assertThat(reports()).hasSize(2);
  }

  @Test
  void aLeaderThatNoLongerLeadsEndsNoCommand() throws Exception {
    var desk = desk();
    String command = enqueue();
    var ended = new CountDownLatch(1);
    admin.delete(CANDIDATE, -1);

    thread.execute(() -> refuse(desk, ended));
    pause();
    assertThat(deployment.node(0, command)).isNotNull();
    assertThat(ended.getCount()).isOne();

    make(CANDIDATE);
    thread.execute(() -> refuse(desk, ended));
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(deployment.node(0, command)).isNull();
  }

  /** Refuses the first command of the queue; its session has ended. */
  private static void refuse(AdminQueueStore desk, CountDownLatch ended) {
    desk.finish(
        0,
        QueueCommand.reap(7, "/e", List.of()),
        null,
        OutcomeBuilder.buildFailure(Code.NONODE),
        ended::countDown);
  }

  private String enqueue() throws Exception {
    return admin.create(
        ZooFencePaths.queue(TWO) + "/c-",
        null,
        Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT_SEQUENTIAL);
  }

  private void report(AdminQueueStore desk, long number, String refusal) throws Exception {
    var done = new CountDownLatch(1);
    thread.execute(() -> desk.report(number, refusal, done::countDown));
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
  }

  private List<String> reports() throws Exception {
    var texts = new ArrayList<String>();
    for (String report : admin.getChildren(ZooFencePaths.MOVES, false)) {
      texts.add(new String(admin.getData(ZooFencePaths.MOVES + "/" + report, false, null)));
    }
    return texts;
  }

  @Test
  void aDeskThatIsClosedRetriesNoTransaction() throws Exception {
    var desk = desk();
    desk.close();
    admin.close();

    thread.submit(() -> desk.report(1, "", () -> {})).get(60, TimeUnit.SECONDS);
    pause();

    assertThat(tries).hasValue(0);
  }

  @Test
  void aDeskThatIsClosedWaitsForNothing() throws Exception {
    make(ZooFencePaths.queue(TWO) + "/c-0000000001");
    var desk = desk();
    var waiting =
        new AdminQueueStore(
            () -> admin,
            "1",
            CANDIDATE,
            new CommandNumbering(CommandNumbering.ROLL_AT),
            thread::execute,
            this::later,
            AdminAccess.OPEN);
    var told = new AtomicInteger();
    thread.execute(() -> desk.lock(ONE, 7, told::incrementAndGet));
    thread.execute(
        () -> waiting.pauseFor(ZooFencePaths.queue(TWO) + "/c-0000000001", told::incrementAndGet));
    awaitQueued(1);
    pause();

    desk.close();
    waiting.close();
    make(ZooFencePaths.GRANTS + "/1:3:7");
    admin.delete(ZooFencePaths.queue(TWO) + "/c-0000000001", -1);
    pause();

    assertThat(told).hasValue(0);
  }

  @Test
  void aQueueStandsStillUntilTheOtherCommandIsGone() throws Exception {
    String other = ZooFencePaths.queue(TWO) + "/c-0000000001";
    make(other);
    var waiting =
        new AdminQueueStore(
            () -> admin,
            "1",
            CANDIDATE,
            new CommandNumbering(CommandNumbering.ROLL_AT),
            thread::execute,
            this::later,
            AdminAccess.OPEN);
    var told = new CountDownLatch(1);

    thread.execute(() -> waiting.pauseFor(other, told::countDown));
    pause();
    assertThat(told.getCount()).isEqualTo(1);
    admin.delete(other, -1);

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(tries).hasValue(0);
    var again = new CountDownLatch(1);
    thread.execute(() -> waiting.pauseFor(other, again::countDown));
    assertThat(again.await(60, TimeUnit.SECONDS)).as("it is gone already").isTrue();
  }
}
