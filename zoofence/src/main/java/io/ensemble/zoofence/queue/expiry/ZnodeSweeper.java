package io.ensemble.zoofence.queue.expiry;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.replica.ReconnectingClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Periodically looks for empty containers and expired znodes among those that several instances
 * hold, and puts their removal into the queues. The instances store such znodes as permanent ones,
 * because by themselves they would remove them at different times. One elected executor runs the
 * sweeper. A znode may change before its command is executed, so the command states what the
 * sweeper has seen.
 */
public final class ZnodeSweeper implements AutoCloseable {
  private static final int AT_A_TIME = 64;

  private final ZooKeeper admin;
  private final List<InstanceServers> instances;
  private final Supplier<Flattening> flattening;
  private final Executor thread;
  private final BiConsumer<Runnable, Duration> after;
  private final ZnodeExpiryPolicy znodeExpiryPolicy = ZnodeExpiryPolicy.configured();
  private final Map<Integer, ReconnectingClient> handles = new HashMap<>();
  private final Map<String, String> asked = new HashMap<>();
  private int rounds;
  private int removals;
  private boolean closed;

  /**
   * @param after runs a task after a given delay, on the same thread
   */
  public ZnodeSweeper(
      ZooKeeper admin,
      List<InstanceServers> instances,
      Supplier<Flattening> flattening,
      Executor thread,
      BiConsumer<Runnable, Duration> after) {
    this.admin = admin;
    this.instances = instances;
    this.flattening = flattening;
    this.thread = thread;
    this.after = after;
  }

  /** Begins after the election. */
  public void begin() {
    if (!closed) {
      after.accept(this::look, znodeExpiryPolicy.interval());
    }
  }

  private void look() {
    if (closed) {
      return;
    }
    admin.getChildren(
        ZooFencePaths.UNUSED,
        false,
        (code, path, context, records) ->
            thread.execute(() -> look(code == 0 ? records : List.of())),
        null);
  }

  private void look(List<String> records) {
    var byInstance = new HashMap<Integer, ArrayDeque<String>>();
    for (String record : records) {
      int holder = flattening.get().holders(ZooFencePaths.recorded(record)).canonical();
      byInstance.computeIfAbsent(holder, made -> new ArrayDeque<>()).add(record);
    }
    asked.keySet().retainAll(new HashSet<>(records));
    removals = 0;
    rounds = byInstance.size();
    byInstance.forEach((instance, own) -> new Round(client(instance), own).begin());
    if (byInstance.isEmpty()) {
      begin();
    }
  }

  private ZooKeeper client(int instance) {
    return handles
        .computeIfAbsent(
            instance,
            made ->
                new ReconnectingClient(
                        instances.get(made), List.of(), thread, () -> {}, event -> {})
                    .open())
        .client();
  }

  /** A check of the znodes at one instance. */
  private final class Round {
    private final ZooKeeper holder;
    private final ArrayDeque<String> left;
    private long nowMillis;
    private int underWay;

    Round(ZooKeeper holder, ArrayDeque<String> left) {
      this.holder = holder;
      this.left = left;
    }

    /**
     * Begins the check with a write. The write gives the time by the clock that wrote all stats,
     * and no read behind it is older.
     */
    public void begin() {
      holder.setData(
          ZooFencePaths.OWNED,
          new byte[0],
          -1,
          (code, path, context, stat) ->
              thread.execute(
                  () -> {
                    if (code == 0) {
                      nowMillis = stat.getMtime();
                    } else {
                      left.clear();
                    }
                    next();
                  }),
          null);
    }

    private void next() {
      while (!closed && underWay < AT_A_TIME && !left.isEmpty()) {
        String record = left.remove();
        underWay++;
        String command = asked.get(record);
        if (command == null) {
          examine(record);
        } else {
          examineAgain(record, command);
        }
      }
      if (underWay == 0 && --rounds == 0) {
        ZnodeSweeper.this.begin();
      }
    }

    private void done() {
      underWay--;
      next();
    }

    /** Examines the znode again only after the last command for it has been executed. */
    private void examineAgain(String record, String command) {
      admin.exists(
          command,
          false,
          (code, path, context, stat) ->
              thread.execute(
                  () -> {
                    if (code == Code.NONODE.intValue()) {
                      asked.remove(record);
                      examine(record);
                    } else {
                      done();
                    }
                  }),
          null);
    }

    private void examine(String record) {
      String path = ZooFencePaths.recorded(record);
      holder.getData(
          ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)),
          false,
          (code, home, context, data, of) -> {
            ZnodeOwner owner = code == 0 ? ZnodeOwner.read(data) : null;
            holder.exists(
                path,
                false,
                (found, at, ignored, stat) ->
                    thread.execute(
                        () -> {
                          boolean known = code == 0 || code == Code.NONODE.intValue();
                          if (known) {
                            decide(record, path, owner, found == 0 ? stat : null);
                          } else {
                            done();
                          }
                        }),
                null);
          },
          null);
    }

    private void decide(
        String record, String path, @Nullable ZnodeOwner owner, @Nullable Stat stat) {
      String kept = ZnodePaths.child(ZooFencePaths.UNUSED, record);
      if (owner == null || !owner.record(path).equals(kept)) {
        // The recorded znode is gone; a new znode at the path has a record of its own.
        admin.delete(kept, -1, (code, of, context) -> thread.execute(this::done), null);
      } else if (stat != null
          && removals < znodeExpiryPolicy.mostAtOnce()
          && znodeExpiryPolicy.isOver(owner.owner(), stat, nowMillis)) {
        removals++;
        remove(record, path, owner, stat.getVersion());
      } else {
        done();
      }
    }

    private void remove(String record, String path, ZnodeOwner owner, int version) {
      InstanceSet set = flattening.get().holdersOfParent(path);
      admin.getData(
          ZnodePaths.child(ZooFencePaths.UNUSED, record),
          false,
          (code, of, context, data, stat) -> {
            if (code != 0) {
              thread.execute(this::done);
              return;
            }
            var made = QueueCommand.read(data).credentials();
            admin.create(
                ZooFencePaths.queue(set) + "/c-",
                QueueCommand.expire(owner, path, version, made).bytes(),
                ZooDefs.Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT_SEQUENTIAL,
                (queued, home, ignored, name) ->
                    thread.execute(
                        () -> {
                          if (queued == 0) {
                            asked.put(record, name);
                          }
                          done();
                        }),
                null);
          },
          null);
    }
  }

  @Override
  public void close() {
    closed = true;
    handles.values().forEach(ReconnectingClient::close);
  }
}
