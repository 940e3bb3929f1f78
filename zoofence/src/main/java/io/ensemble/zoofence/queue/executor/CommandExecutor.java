package io.ensemble.zoofence.queue.executor;

import static java.util.Comparator.comparingLong;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.expiry.SessionReaper;
import io.ensemble.zoofence.queue.expiry.ZnodeSweeper;
import io.ensemble.zoofence.queue.replica.ReconnectingClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A candidate to lead every queue of a deployment; executes the commands of the queues that it
 * leads (the executor of the paper's section IV-C). Any number of processes may run an executor:
 * when a leader dies, the next leader continues its work. Thread-safe.
 */
public final class CommandExecutor implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CommandExecutor.class);
  private static final Duration SOON = Duration.ofMillis(100);

  /** The time between two attempts to continue a stopped queue, which may have been repaired. */
  private static final Duration STOPPED = Duration.ofSeconds(10);

  private final List<InstanceServers> instances;
  private final AdminAccess access;
  private final int rollAt;
  private volatile Supplier<Flattening> flattening;
  private final ScheduledExecutorService executor;
  private final ReconnectingClient admin;
  private final Map<String, LeaderCandidate> candidates = new HashMap<>();
  private final Map<String, Led> ledQueues = new ConcurrentHashMap<>();
  private long session;
  private boolean closed;
  private @Nullable SessionReaper reaper;
  private @Nullable ZnodeSweeper znodeSweeper;

  private record Led(QueueLeader leader, LeaderHost host, QueueReader reader) {
    void close() {
      reader.close();
      leader.close();
    }
  }

  /** Starts the executor of a deployment whose administrative ensemble is open. */
  public CommandExecutor(
      List<InstanceServers> instances, InstanceServers admin, Supplier<Flattening> flattening) {
    this(instances, admin, flattening, AdminAccess.OPEN);
  }

  /**
   * Starts the executor, which becomes a candidate for every queue.
   *
   * @param access the access of the deployment's processes to the administrative ensemble
   */
  public CommandExecutor(
      List<InstanceServers> instances,
      InstanceServers admin,
      Supplier<Flattening> flattening,
      AdminAccess access) {
    this(instances, admin, flattening, access, CommandNumbering.ROLL_AT);
  }

  /**
   * @param rollAt the number of commands after which the znode of a queue is replaced
   */
  CommandExecutor(
      List<InstanceServers> instances,
      InstanceServers admin,
      Supplier<Flattening> flattening,
      AdminAccess access,
      int rollAt) {
    this.access = access;
    this.rollAt = rollAt;
    this.instances = List.copyOf(instances);
    this.flattening = flattening;
    this.executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              var thread = new Thread(task, "zoofence-executor");
              thread.setDaemon(true);
              return thread;
            });
    this.admin =
        new ReconnectingClient(
            admin, access.credentials(), this::run, this::handleConnected, this::handleEvent, true);
    run(() -> this.admin.open());
  }

  /** The queues that this process leads. */
  public QueueCounts queueCounts() {
    var depths = new TreeMap<InstanceSet, Integer>(comparingLong(InstanceSet::bits));
    int stopped = 0;
    for (Map.Entry<String, Led> led : ledQueues.entrySet()) {
      QueueLeader leader = led.getValue().leader();
      depths.put(setOf(led.getKey()), leader.countUnfinished());
      stopped += leader.isStopped() ? 1 : 0;
    }
    return new QueueCounts(depths, stopped);
  }

  private static InstanceSet setOf(String queue) {
    return new InstanceSet(Long.parseUnsignedLong(queue, 16));
  }

  /**
   * Runs a task on the executor's thread. Late callbacks of a client that is being closed find the
   * thread gone.
   */
  private void run(Runnable task) {
    try {
      executor.execute(() -> runGuarded(task));
    } catch (java.util.concurrent.RejectedExecutionException e) {
      // The executor is closed: there is nothing left to do.
    }
  }

  /**
   * Runs a task. If a defect of this program ends the task, another process or a new session
   * continues the work.
   */
  private void runGuarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.error("Command executor failed; restarting its session", e);
      if (!closed) {
        admin.renew();
      }
    }
  }

  private void handleConnected() {
    ZooKeeper client = admin.client();
    if (client.getSessionId() != session) {
      session = client.getSessionId();
      ledQueues.values().forEach(Led::close);
      ledQueues.clear();
      candidates.clear();
      reaper = new SessionReaper(client, names(), access, this::run, this::runLater);
      stopSweep();
      znodeSweeper =
          new ZnodeSweeper(
              client, instances, () -> flattening.get(), access, this::run, this::runAfter);
      var candidate =
          new LeaderCandidate(
              client,
              ZnodePaths.child(ZooFencePaths.LEADERS, "reaper"),
              this::run,
              term -> startCleanUp());
      candidates.put("reaper", candidate);
      candidate.join();
    } else {
      candidates.values().forEach(LeaderCandidate::checkLeadership);
      ledQueues.values().forEach(ledQueue -> ledQueue.reader().begin());
      if (reaper != null) {
        reaper.checkSessions();
      }
    }
    // Set at each connection: the last one may have lost the request.
    client.addWatch(
        ZooFencePaths.FLATTENING,
        AddWatchMode.PERSISTENT,
        (code, path, context) -> readFlattening(),
        null);
    client.addWatch(
        ZooFencePaths.QUEUES, AddWatchMode.PERSISTENT, (code, path, context) -> {}, null);
    client.sync(ZooFencePaths.QUEUES, (code, path, context) -> {}, null);
    joinElections();
  }

  /**
   * Becomes a candidate for every queue. The session with the first command for a set creates the
   * queue, and queues are never removed.
   */
  private void joinElections() {
    admin
        .client()
        .getChildren(
            ZooFencePaths.QUEUES,
            false,
            (code, path, context, queues) ->
                run(
                    () -> {
                      if (code == 0) {
                        queues.forEach(this::joinElection);
                      }
                    }),
            null);
  }

  /** Reads the flattening, since this process may have no session that learns of a move. */
  private void readFlattening() {
    readEpoch(epoch -> flattening = epoch::flattening);
  }

  /** Starts the removal of expired sessions and znodes, after the election for that task. */
  private void startCleanUp() {
    if (reaper != null && znodeSweeper != null) {
      reaper.begin();
      znodeSweeper.begin();
    }
  }

  private void stopSweep() {
    if (znodeSweeper != null) {
      znodeSweeper.close();
    }
  }

  private void joinElection(String queue) {
    if (closed || candidates.containsKey(queue)) {
      return;
    }
    var candidate =
        new LeaderCandidate(
            admin.client(),
            ZnodePaths.child(ZooFencePaths.LEADERS, queue),
            this::run,
            term -> lead(queue, term));
    candidates.put(queue, candidate);
    candidate.join();
  }

  /** Leads a queue by the flattening epoch in force at the beginning of the term. */
  private void lead(String queue, long term) {
    long startedSession = session;
    readEpoch(
        epoch -> {
          LeaderCandidate candidate = candidates.get(queue);
          String candidatePath = candidate == null ? null : candidate.znodePath();
          if (closed
              || startedSession != session
              || ledQueues.containsKey(queue)
              || candidatePath == null) {
            return;
          }
          InstanceSet set = setOf(queue);
          var commandNumbering = new CommandNumbering(rollAt);
          var queueStore =
              new AdminQueueStore(
                  admin::client,
                  queue,
                  candidatePath,
                  commandNumbering,
                  this::run,
                  this::runLater,
                  access);
          var host = new Holding(queue, term, commandNumbering);
          var leader =
              new QueueLeader(
                  set,
                  instances,
                  epoch,
                  term,
                  this::run,
                  this::runLater,
                  queueStore,
                  commandNumbering,
                  host);
          var reader =
              new QueueReader(admin::client, queue, leader, commandNumbering, host, this::run);
          ledQueues.put(queue, new Led(leader, host, reader));
          reader.begin();
        });
  }

  /** Reads the flattening epoch in force, and retries until there is a response. */
  private void readEpoch(Consumer<FlatteningEpoch> callback) {
    ZooKeeper client = admin.client();
    client.sync(ZooFencePaths.FLATTENING, (code, path, context) -> {}, null);
    client.getData(
        ZooFencePaths.FLATTENING,
        false,
        (code, path, context, data, stat) ->
            run(
                () -> {
                  if (code == 0) {
                    callback.accept(FlatteningEpoch.read(data, names()));
                  } else {
                    runLater(() -> readEpoch(callback));
                  }
                }),
        null);
  }

  private List<String> names() {
    return instances.stream().map(InstanceServers::name).toList();
  }

  /** The leadership of one queue. */
  private final class Holding implements LeaderHost {
    private final String queue;
    private final long term;
    private final CommandNumbering commandNumbering;

    Holding(String queue, long term, CommandNumbering commandNumbering) {
      this.queue = queue;
      this.term = term;
      this.commandNumbering = commandNumbering;
    }

    @Override
    public void endLeadership() {
      CommandExecutor.this.resign(queue);
    }

    @Override
    public void restartLeader() {
      Led ledQueue = ledQueues.get(queue);
      if (ledQueue != null && ledQueue.host() == this) {
        ledQueues.remove(queue);
        ledQueue.close();
        lead(queue, term);
      }
    }

    @Override
    public void rollQueue() {
      LeaderCandidate candidate = candidates.get(queue);
      String candidatePath = candidate == null ? null : candidate.znodePath();
      if (candidatePath == null) {
        return;
      }
      String path = ZnodePaths.child(ZooFencePaths.QUEUES, queue);
      // Only the present leader may do this: a former one would use a base that is in use.
      List<Op> operations =
          List.of(
              Op.check(candidatePath, -1),
              Op.delete(path, -1),
              Op.create(
                  path,
                  commandNumbering.nextBase(),
                  ZooDefs.Ids.OPEN_ACL_UNSAFE,
                  CreateMode.PERSISTENT));
      // The events of the znode come before those of its first command, and restart the leader.
      admin
          .client()
          .multi(
              operations,
              (code, of, context, results) -> {
                if (code == Code.NOTEMPTY.intValue()) {
                  run(this::rereadQueue);
                }
              },
              null);
    }

    /** Finds znodes that this process may not read: no event tells that there is one. */
    private void rereadQueue() {
      Led ledQueue = ledQueues.get(queue);
      if (ledQueue != null && ledQueue.host() == this) {
        ledQueue.reader().begin();
      }
    }

    @Override
    public void restartLeaderLater() {
      runAfter(this::restartLeader, STOPPED);
    }

    @Override
    public void readEpoch(Consumer<FlatteningEpoch> callback) {
      CommandExecutor.this.readEpoch(callback);
    }

    @Override
    public ZooKeeper admin() {
      return admin.client();
    }
  }

  private void runLater(Runnable task) {
    runAfter(task, SOON);
  }

  private void runAfter(Runnable task, Duration delay) {
    if (!closed) {
      executor.schedule(() -> runGuarded(task), delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** A later leader is active: this process must stop leading the queue. */
  private void resign(String queue) {
    Led ledQueue = ledQueues.remove(queue);
    if (ledQueue != null) {
      ledQueue.close();
    }
    LeaderCandidate candidate = candidates.remove(queue);
    if (candidate != null) {
      candidate.resign(() -> runLater(() -> joinElection(queue)));
    }
  }

  private void handleEvent(WatchedEvent event) {
    String path = event.getPath();
    if (ZooFencePaths.FLATTENING.equals(path)) {
      readFlattening();
    }
    if (closed || path == null) {
      return;
    }
    if (path.equals(ZooFencePaths.QUEUES)) {
      joinElections();
    } else if (ZnodePaths.parent(path).equals(ZooFencePaths.QUEUES)) {
      Led rolledQueue = ledQueues.get(ZnodePaths.name(path));
      if (rolledQueue != null && event.getType() == EventType.NodeCreated) {
        rolledQueue.host().restartLeader();
      }
    } else if (event.getType() == EventType.NodeCreated) {
      Led ledQueue = ledQueues.get(ZnodePaths.name(ZnodePaths.parent(path)));
      if (ledQueue != null) {
        ledQueue.reader().addCommand(path);
      }
    }
  }

  @Override
  public void close() {
    run(
        () -> {
          closed = true;
          ledQueues.values().forEach(Led::close);
          stopSweep();
          admin.close();
          executor.shutdownNow(); // Delayed tasks are dropped.
        });
    try {
      executor.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
