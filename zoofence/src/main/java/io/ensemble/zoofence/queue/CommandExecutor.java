package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Edition;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.link.Servers;
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

  private final List<Servers> instances;
  private volatile Supplier<Flattening> flattening;
  private final ScheduledExecutorService thread;
  private final Handle admin;
  private final Map<String, Candidacy> candidacies = new HashMap<>();
  private final Map<String, Led> led = new ConcurrentHashMap<>();
  private long session;
  private boolean closed;
  private @Nullable Reaper reaper;
  private @Nullable Sweep sweep;

  private record Led(Leader leader, Office office, Intake intake) {
    void close() {
      intake.close();
      leader.close();
    }
  }

  /** Begins to stand. */
  public CommandExecutor(List<Servers> instances, Servers admin, Supplier<Flattening> flattening) {
    this.instances = List.copyOf(instances);
    this.flattening = flattening;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              var made = new Thread(work, "zoofence-executor");
              made.setDaemon(true);
              return made;
            });
    this.admin = new Handle(admin, List.of(), this::run, this::connected, this::event, true);
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
      reaper = new Reaper(client, () -> flattening.get(), this::run, this::later);
      endSweep();
      sweep = new Sweep(client, instances, () -> flattening.get(), this::run, this::after);
      var office =
          new Candidacy(client, Paths.child(Names.LEADERS, "reaper"), this::run, term -> cleanUp());
      candidacies.put("reaper", office);
      office.stand();
    } else {
      candidacies.values().forEach(Candidacy::look);
      led.values().forEach(one -> one.intake().begin());
      if (reaper != null) {
        reaper.look();
      }
    }
    // Each time: the request of the last time may have been lost with its connection.
    client.addWatch(
        Names.FLATTENING, AddWatchMode.PERSISTENT, (code, path, context) -> learn(), null);
    client.addWatch(Names.QUEUES, AddWatchMode.PERSISTENT, (code, path, context) -> {}, null);
    client.sync(Names.QUEUES, (code, path, context) -> {}, null);
    standForAll();
  }

  /** Queues are begun by whoever has the first command for a set, and stay. */
  private void standForAll() {
    admin
        .client()
        .getChildren(
            Names.QUEUES,
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
    if (reaper != null && sweep != null) {
      reaper.begin();
      sweep.begin();
    }
  }

  private void endSweep() {
    if (sweep != null) {
      sweep.close();
    }
  }

  private void stand(String queue) {
    if (closed || candidacies.containsKey(queue)) {
      return;
    }
    var candidacy =
        new Candidacy(
            admin.client(),
            Paths.child(Names.LEADERS, queue),
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
          var desk = new AdminDesk(admin::client, queue, this::run, this::later);
          var office = new Holding(queue, term);
          var leader =
              new Leader(set, instances, edition, term, this::run, this::later, desk, office);
          var intake = new Intake(admin::client, queue, leader, this::run);
          led.put(queue, new Led(leader, office, intake));
          intake.begin();
        });
  }

  /** The edition of the flattening in force; asked for until there is an answer. */
  private void latest(Consumer<Edition> then) {
    ZooKeeper client = admin.client();
    client.sync(Names.FLATTENING, (code, path, context) -> {}, null);
    client.getData(
        Names.FLATTENING,
        false,
        (code, path, context, data, stat) ->
            run(
                () -> {
                  if (code == 0) {
                    then.accept(Edition.read(data, instances.stream().map(Servers::name).toList()));
                  } else {
                    later(() -> latest(then));
                  }
                }),
        null);
  }

  /** The office of one queue. */
  private final class Holding implements Office {
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
    public void latest(Consumer<Edition> then) {
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
    Candidacy held = candidacies.remove(queue);
    if (held != null) {
      held.resign(() -> later(() -> stand(queue)));
    }
  }

  private void event(WatchedEvent event) {
    String path = event.getPath();
    if (Names.FLATTENING.equals(path)) {
      learn();
    }
    if (closed || path == null) {
      return;
    }
    if (path.equals(Names.QUEUES)) {
      standForAll();
    } else if (event.getType() == EventType.NodeCreated) {
      Led one = led.get(Paths.name(Paths.parent(path)));
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
