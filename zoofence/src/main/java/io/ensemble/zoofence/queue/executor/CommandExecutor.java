package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.expiry.SessionReaper;
import io.ensemble.zoofence.queue.expiry.ZnodeSweeper;
import io.ensemble.zoofence.queue.replica.ReconnectingClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
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

  private final List<InstanceServers> instances;
  private volatile Supplier<Flattening> flattening;
  private final ScheduledExecutorService thread;
  private final ReconnectingClient admin;
  private final Map<String, LeaderCandidate> candidacies = new HashMap<>();
  private final Map<String, Led> led = new ConcurrentHashMap<>();
  private long session;
  private boolean closed;
  private @Nullable SessionReaper reaper;
  private @Nullable ZnodeSweeper znodeSweeper;

  private record Led(QueueLeader leader, LeaderHost office, QueueReader intake) {
    void close() {
      intake.close();
      leader.close();
    }
  }

  /** Starts the executor, which becomes a candidate for every queue. */
  public CommandExecutor(
      List<InstanceServers> instances, InstanceServers admin, Supplier<Flattening> flattening) {
    this.instances = List.copyOf(instances);
    this.flattening = flattening;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              var made = new Thread(work, "zoofence-executor");
              made.setDaemon(true);
              return made;
            });
    this.admin =
        new ReconnectingClient(admin, List.of(), this::run, this::connected, this::event, true);
    run(() -> this.admin.open());
  }

  /** The number of queues that this process leads, to its own knowledge. */
  public int queuesLed() {
    return led.size();
  }

  /**
   * Runs a task on the executor's thread. Late callbacks of a client that is being closed find the
   * thread gone.
   */
  private void run(Runnable work) {
    try {
      thread.execute(() -> surely(work));
    } catch (java.util.concurrent.RejectedExecutionException e) {
      // The executor is closed: there is nothing left to do.
    }
  }

  /**
   * Runs a task. If a defect of this program ends the task, another process or a new session
   * continues the work.
   */
  private void surely(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      log.error("Command executor failed; restarting its session", e);
      if (!closed) {
        admin.renew();
      }
    }
  }

  private void connected() {
    ZooKeeper client = admin.client();
    if (client.getSessionId() != session) {
      session = client.getSessionId();
      led.values().forEach(Led::close);
      led.clear();
      candidacies.clear();
      reaper = new SessionReaper(client, () -> flattening.get(), this::run, this::later);
      endSweep();
      znodeSweeper =
          new ZnodeSweeper(client, instances, () -> flattening.get(), this::run, this::after);
      var office =
          new LeaderCandidate(
              client,
              ZnodePaths.child(ZooFencePaths.LEADERS, "reaper"),
              this::run,
              term -> cleanUp());
      candidacies.put("reaper", office);
      office.stand();
    } else {
      candidacies.values().forEach(LeaderCandidate::look);
      led.values().forEach(one -> one.intake().begin());
      if (reaper != null) {
        reaper.look();
      }
    }
    // Set at each connection: the last one may have lost the request.
    client.addWatch(
        ZooFencePaths.FLATTENING, AddWatchMode.PERSISTENT, (code, path, context) -> learn(), null);
    client.addWatch(
        ZooFencePaths.QUEUES, AddWatchMode.PERSISTENT, (code, path, context) -> {}, null);
    client.sync(ZooFencePaths.QUEUES, (code, path, context) -> {}, null);
    standForAll();
  }

  /**
   * Becomes a candidate for every queue. The session with the first command for a set creates the
   * queue, and queues are never removed.
   */
  private void standForAll() {
    admin
        .client()
        .getChildren(
            ZooFencePaths.QUEUES,
            false,
            (code, path, context, queues) ->
                run(
                    () -> {
                      if (code == 0) {
                        queues.forEach(this::stand);
                      }
                    }),
            null);
  }

  /** Reads the flattening, since this process may have no session that learns of a move. */
  private void learn() {
    latest(now -> flattening = now::flattening);
  }

  /** Starts the removal of expired sessions and znodes, after the election for that task. */
  private void cleanUp() {
    if (reaper != null && znodeSweeper != null) {
      reaper.begin();
      znodeSweeper.begin();
    }
  }

  private void endSweep() {
    if (znodeSweeper != null) {
      znodeSweeper.close();
    }
  }

  private void stand(String queue) {
    if (closed || candidacies.containsKey(queue)) {
      return;
    }
    var candidacy =
        new LeaderCandidate(
            admin.client(),
            ZnodePaths.child(ZooFencePaths.LEADERS, queue),
            this::run,
            term -> lead(queue, term));
    candidacies.put(queue, candidacy);
    candidacy.stand();
  }

  /** Leads a queue by the flattening epoch in force at the beginning of the term. */
  private void lead(String queue, long term) {
    long mine = session;
    latest(
        epoch -> {
          if (closed || mine != session || led.containsKey(queue)) {
            return;
          }
          var set = new InstanceSet(Long.parseUnsignedLong(queue, 16));
          var desk = new AdminQueueStore(admin::client, queue, this::run, this::later);
          var office = new Holding(queue, term);
          var leader =
              new QueueLeader(set, instances, epoch, term, this::run, this::later, desk, office);
          var intake = new QueueReader(admin::client, queue, leader, this::run);
          led.put(queue, new Led(leader, office, intake));
          intake.begin();
        });
  }

  /** Reads the flattening epoch in force, and retries until there is a response. */
  private void latest(Consumer<FlatteningEpoch> then) {
    ZooKeeper client = admin.client();
    client.sync(ZooFencePaths.FLATTENING, (code, path, context) -> {}, null);
    client.getData(
        ZooFencePaths.FLATTENING,
        false,
        (code, path, context, data, stat) ->
            run(
                () -> {
                  if (code == 0) {
                    then.accept(
                        FlatteningEpoch.read(
                            data, instances.stream().map(InstanceServers::name).toList()));
                  } else {
                    later(() -> latest(then));
                  }
                }),
        null);
  }

  /** The leadership of one queue. */
  private final class Holding implements LeaderHost {
    private final String queue;
    private final long term;

    Holding(String queue, long term) {
      this.queue = queue;
      this.term = term;
    }

    @Override
    public void superseded() {
      CommandExecutor.this.superseded(queue);
    }

    @Override
    public void anew() {
      Led one = led.get(queue);
      if (one != null && one.office() == this) {
        led.remove(queue);
        one.close();
        lead(queue, term);
      }
    }

    @Override
    public void latest(Consumer<FlatteningEpoch> then) {
      CommandExecutor.this.latest(then);
    }

    @Override
    public ZooKeeper admin() {
      return admin.client();
    }
  }

  private void later(Runnable work) {
    after(work, SOON);
  }

  private void after(Runnable work, Duration pause) {
    if (!closed) {
      thread.schedule(() -> surely(work), pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** A later leader is active: this process must stop leading the queue. */
  private void superseded(String queue) {
    Led one = led.remove(queue);
    if (one != null) {
      one.close();
    }
    LeaderCandidate held = candidacies.remove(queue);
    if (held != null) {
      held.resign(() -> later(() -> stand(queue)));
    }
  }

  private void event(WatchedEvent event) {
    String path = event.getPath();
    if (ZooFencePaths.FLATTENING.equals(path)) {
      learn();
    }
    if (closed || path == null) {
      return;
    }
    if (path.equals(ZooFencePaths.QUEUES)) {
      standForAll();
    } else if (event.getType() == EventType.NodeCreated) {
      Led one = led.get(ZnodePaths.name(ZnodePaths.parent(path)));
      if (one != null) {
        one.intake().created(path);
      }
    }
  }

  @Override
  public void close() {
    run(
        () -> {
          closed = true;
          led.values().forEach(Led::close);
          endSweep();
          admin.close();
          thread.shutdownNow(); // Delayed tasks are dropped.
        });
    try {
      thread.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
