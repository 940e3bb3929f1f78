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
 * Stands for the lead of every queue of a deployment, and carries out the commands of those that it
 * leads (the executor of the paper's section IV-C). As many processes as wanted may run one: when a
 * leader dies, the next goes on with what it left. Thread-safe.
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

  /** Begins to stand. */
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

  /** How many queues this process leads, as far as it knows. */
  public int queuesLed() {
    return led.size();
  }

  /** Late callbacks of a handle that is being closed find no thread any more. */
  private void run(Runnable work) {
    try {
      thread.execute(() -> surely(work));
    } catch (java.util.concurrent.RejectedExecutionException e) {
      // It is closed: nothing is to be done any more.
    }
  }

  /** After a fault of this program, others or a new session go on with what was begun. */
  private void surely(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      log.error("The executor of commands stumbled, and begins anew", e);
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
    // Each time: the request of the last time may have been lost with its connection.
    client.addWatch(
        ZooFencePaths.FLATTENING, AddWatchMode.PERSISTENT, (code, path, context) -> learn(), null);
    client.addWatch(
        ZooFencePaths.QUEUES, AddWatchMode.PERSISTENT, (code, path, context) -> {}, null);
    client.sync(ZooFencePaths.QUEUES, (code, path, context) -> {}, null);
    standForAll();
  }

  /** Queues are begun by whoever has the first command for a set, and stay. */
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

  /** This process may have no session that hears of a move. */
  private void learn() {
    latest(now -> flattening = now::flattening);
  }

  /** Elected for what no session, and no command, asks for. */
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

  /** Leads a queue, by the edition of the flattening in force when this office was taken. */
  private void lead(String queue, long term) {
    long mine = session;
    latest(
        edition -> {
          if (closed || mine != session || led.containsKey(queue)) {
            return;
          }
          var set = new InstanceSet(Long.parseUnsignedLong(queue, 16));
          var desk = new AdminQueueStore(admin::client, queue, this::run, this::later);
          var office = new Holding(queue, term);
          var leader =
              new QueueLeader(set, instances, edition, term, this::run, this::later, desk, office);
          var intake = new QueueReader(admin::client, queue, leader, this::run);
          led.put(queue, new Led(leader, office, intake));
          intake.begin();
        });
  }

  /** The edition of the flattening in force; asked for until there is an answer. */
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

  /** The office of one queue. */
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

  /** A later leader works: what this one still has is no longer its own. */
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
          thread.shutdownNow(); // What was to be done later is not waited for.
        });
    try {
      thread.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
