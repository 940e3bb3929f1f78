package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the commands of a queue in the queue's order: first the existing ones, then new ones. Only
 * the reader of a leader reads commands. Confined to the executor's thread.
 */
final class QueueReader implements AutoCloseable {
  /** Names of commands: {@code c-} and the number that ZooKeeper gives. */
  private static final Pattern COMMAND = Pattern.compile("c-[0-9]{10}");

  private static final Logger log = LoggerFactory.getLogger(QueueReader.class);

  private final Supplier<ZooKeeper> admin;
  private final String queue;
  private final QueueLeader leader;
  private final CommandNumbering commandNumbering;
  private final LeaderHost leaderHost;
  private final Executor executor;
  private boolean isListed;
  private boolean closed;

  QueueReader(
      Supplier<ZooKeeper> admin,
      String queue,
      QueueLeader leader,
      CommandNumbering commandNumbering,
      LeaderHost leaderHost,
      Executor executor) {
    this.admin = admin;
    this.queue = ZnodePaths.child(ZooFencePaths.QUEUES, queue);
    this.leader = leader;
    this.commandNumbering = commandNumbering;
    this.leaderHost = leaderHost;
    this.executor = executor;
  }

  /** Sets the watch and reads the whole queue; called at each connection. */
  void begin() {
    ZooKeeper client = admin.get();
    isListed = false;
    client.addWatch(queue, AddWatchMode.PERSISTENT_RECURSIVE, (code, path, context) -> {}, null);
    client.sync(queue, (code, path, context) -> {}, null);
    client.getData(
        queue,
        false,
        (code, path, context, data, stat) ->
            runIfOpen(
                code,
                () -> {
                  if (!commandNumbering.readBase(data)) {
                    leaderHost.restartLeader();
                  }
                }),
        null);
    client.getChildren(
        queue,
        false,
        (code, path, context, commands) ->
            runIfOpen(
                code,
                () -> {
                  isListed = true;
                  commands.stream()
                      .sorted()
                      .forEach(command -> fetchCommand(queue + "/" + command));
                  // Runs after every fetch.
                  client.sync(queue, (done, of, ignored) -> runIfOpen(done, leader::open), null);
                }),
        null);
  }

  private void runIfOpen(int code, Runnable task) {
    executor.execute(
        () -> {
          if (code == 0 && !closed) {
            task.run();
          }
        });
  }

  /** A new command is in the queue. */
  void addCommand(String path) {
    // Commands that arrive before the queue is listed are in the list.
    if (isListed && !closed) {
      fetchCommand(path);
    }
  }

  private void fetchCommand(String path) {
    if (!COMMAND.matcher(ZnodePaths.name(path)).matches()) {
      removeForeign(path);
      return;
    }
    admin
        .get()
        .getData(
            path,
            false,
            (code, of, context, data, stat) -> {
              if (code == Code.NOAUTH.intValue()) {
                runIfOpen(0, () -> removeForeign(path));
              } else {
                runIfOpen(
                    code,
                    () -> leader.addCommand(commandNumbering.toNumber(parseNumber(path)), data));
              }
            },
            null);
  }

  /**
   * Removes a znode that is no command: its name is not that of one, or this process may not read
   * it, and all processes of a deployment have equal access. It would keep the queue from ever
   * being empty.
   */
  private void removeForeign(String path) {
    log.warn("Removing a znode that is no command from a queue; {}", path);
    admin.get().delete(path, -1, (code, of, context) -> {}, null);
  }

  /** The sequence number of a command, from its path. */
  static long parseNumber(String path) {
    return Long.parseLong(path.substring(path.lastIndexOf('-') + 1));
  }

  @Override
  public void close() {
    closed = true;
    admin.get().removeAllWatches(queue, WatcherType.Any, true, (code, of, context) -> {}, null);
  }
}
