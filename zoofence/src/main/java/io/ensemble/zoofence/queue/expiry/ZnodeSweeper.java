package io.ensemble.zoofence.queue.expiry;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.replica.ReconnectingClient;
import io.ensemble.zoofence.queue.replica.ResourceCache;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
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
  private final AdminAccess access;
  private final Executor executor;
  private final BiConsumer<Runnable, Duration> delayedExecutor;
  private final ZnodeExpiryPolicy znodeExpiryPolicy = ZnodeExpiryPolicy.fromProperties();
  private final Map<Integer, ReconnectingClient> clients = new HashMap<>();
  private final ResourceCache<Creator, ReconnectingClient> clientsOfCreators =
      new ResourceCache<>(
          creator -> open(creator.instance(), creator.credentials()), ReconnectingClient::close);
  private final Map<String, String> pendingCommands = new HashMap<>();
  private int openRounds;
  private int removals;
  private boolean closed;

  /** The creator of a znode, at an instance that holds it. */
  private record Creator(int instance, List<QueueCommand.Credential> credentials) {}

  /**
   * @param access the access list of commands
   * @param delayedExecutor runs a task after a given delay, on the same thread
   */
  public ZnodeSweeper(
      ZooKeeper admin,
      List<InstanceServers> instances,
      Supplier<Flattening> flattening,
      AdminAccess access,
      Executor executor,
      BiConsumer<Runnable, Duration> delayedExecutor) {
    this.admin = admin;
    this.instances = instances;
    this.flattening = flattening;
    this.access = access;
    this.executor = executor;
    this.delayedExecutor = delayedExecutor;
  }

  /** Begins after the election. */
  public void begin() {
    if (!closed) {
      delayedExecutor.accept(this::listRecords, znodeExpiryPolicy.interval());
    }
  }

  private void listRecords() {
    if (closed) {
      return;
    }
    admin.getChildren(
        ZooFencePaths.UNUSED,
        false,
        (code, path, context, records) ->
            executor.execute(() -> checkRecords(code == 0 ? records : List.of())),
        null);
  }

  private void checkRecords(List<String> records) {
    var byInstance = new HashMap<Integer, ArrayDeque<String>>();
    for (String record : records) {
      int holder = flattening.get().holders(ZooFencePaths.recorded(record)).canonical();
      byInstance.computeIfAbsent(holder, made -> new ArrayDeque<>()).add(record);
    }
    pendingCommands.keySet().retainAll(new HashSet<>(records));
    removals = 0;
    openRounds = byInstance.size();
    clientsOfCreators.closeIdle();
    byInstance.forEach((instance, instanceRecords) -> new Round(instance, instanceRecords).begin());
    if (byInstance.isEmpty()) {
      begin();
    }
  }

  private ZooKeeper client(int instance) {
    return clients.computeIfAbsent(instance, made -> open(made, List.of())).client();
  }

  private ReconnectingClient open(int instance, List<QueueCommand.Credential> credentials) {
    return new ReconnectingClient(
            instances.get(instance), credentials, executor, () -> {}, event -> {})
        .open();
  }

  /** A check of the znodes at one instance. */
  private final class Round {
    private final int instance;
    private final ZooKeeper holder;
    private final ArrayDeque<String> remaining;
    private final ArrayDeque<String> unreadable = new ArrayDeque<>();
    private long nowMillis;
    private int inFlight;

    Round(int instance, ArrayDeque<String> remaining) {
      this.instance = instance;
      this.holder = client(instance);
      this.remaining = remaining;
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
              executor.execute(
                  () -> {
                    if (code == 0) {
                      nowMillis = stat.getMtime();
                    } else {
                      remaining.clear();
                    }
                    examineNext();
                  }),
          null);
    }

    private void examineNext() {
      while (!closed && inFlight < AT_A_TIME && !remaining.isEmpty()) {
        String record = remaining.remove();
        inFlight++;
        String command = pendingCommands.get(record);
        if (command == null) {
          examine(record, holder);
        } else {
          examineAfterCommand(record, command);
        }
      }
      if (inFlight > 0) {
        return;
      }
      if (!closed && !unreadable.isEmpty()) {
        // One at a time, so that no connection is closed while it is in use.
        inFlight++;
        examineAsCreator(unreadable.remove());
      } else if (--openRounds == 0) {
        ZnodeSweeper.this.begin();
      }
    }

    /** Examines a znode that has to be read with the credentials of its creator. */
    private void examineAsCreator(String record) {
      readCredentials(
          record,
          credentials -> {
            if (closed || credentials.isEmpty()) {
              finishOne();
              return;
            }
            ZooKeeper client = clientsOfCreators.get(new Creator(instance, credentials)).client();
            // Its server may lag behind the one that has written the time.
            client.sync(ZooFencePaths.OWNED, (code, path, context) -> {}, null);
            examine(record, client);
          });
    }

    /** Reads the credentials of a znode's creator; without a response, ends the examination. */
    private void readCredentials(String record, Consumer<List<QueueCommand.Credential>> callback) {
      admin.getData(
          ZnodePaths.child(ZooFencePaths.UNUSED, record),
          false,
          (code, of, context, data, stat) ->
              executor.execute(
                  () -> {
                    if (code == 0) {
                      callback.accept(QueueCommand.read(data).credentials());
                    } else {
                      finishOne();
                    }
                  }),
          null);
    }

    private void finishOne() {
      inFlight--;
      examineNext();
    }

    /** Examines the znode again only after the last command for it has been executed. */
    private void examineAfterCommand(String record, String command) {
      admin.exists(
          command,
          false,
          (code, path, context, stat) ->
              executor.execute(
                  () -> {
                    if (code == Code.NONODE.intValue()) {
                      pendingCommands.remove(record);
                      examine(record, holder);
                    } else {
                      finishOne();
                    }
                  }),
          null);
    }

    private void examine(String record, ZooKeeper client) {
      String path = ZooFencePaths.recorded(record);
      client.getData(
          ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)),
          false,
          (code, home, context, data, of) -> {
            ZnodeOwner owner = code == 0 ? ZnodeOwner.read(data) : null;
            client.exists(
                path,
                false,
                (found, at, ignored, stat) ->
                    executor.execute(
                        () -> {
                          boolean isAnswered = code == 0 || code == Code.NONODE.intValue();
                          if (found == Code.NOAUTH.intValue() && client == holder) {
                            unreadable.add(record);
                            finishOne();
                          } else if (isAnswered) {
                            decide(record, path, owner, found == 0 ? stat : null);
                          } else {
                            finishOne();
                          }
                        }),
                null);
          },
          null);
    }

    private void decide(
        String record, String path, @Nullable ZnodeOwner owner, @Nullable Stat stat) {
      String recordPath = ZnodePaths.child(ZooFencePaths.UNUSED, record);
      if (owner == null || !owner.recordPath(path).equals(recordPath)) {
        // The recorded znode is gone; a new znode at the path has a record of its own.
        admin.delete(
            recordPath, -1, (code, of, context) -> executor.execute(this::finishOne), null);
      } else if (stat != null
          && removals < znodeExpiryPolicy.maxPerCheck()
          && znodeExpiryPolicy.isExpired(owner.owner(), stat, nowMillis)) {
        removals++;
        remove(record, path, owner, stat.getVersion());
      } else {
        finishOne();
      }
    }

    private void remove(String record, String path, ZnodeOwner owner, int version) {
      InstanceSet set = flattening.get().holdersOfParent(path);
      readCredentials(
          record,
          credentials ->
              admin.create(
                  ZooFencePaths.queue(set) + "/c-",
                  QueueCommand.expire(owner, path, version, credentials).bytes(),
                  access.acl(),
                  CreateMode.PERSISTENT_SEQUENTIAL,
                  (queued, home, ignored, name) ->
                      executor.execute(
                          () -> {
                            if (queued == 0) {
                              pendingCommands.put(record, name);
                            }
                            finishOne();
                          }),
                  null));
    }
  }

  @Override
  public void close() {
    closed = true;
    clients.values().forEach(ReconnectingClient::close);
    clientsOfCreators.closeAll();
  }
}
