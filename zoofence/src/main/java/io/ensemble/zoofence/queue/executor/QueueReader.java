package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;

/**
 * Tells a leader what stands in its queue, in the queue's order: first what is there, then what
 * comes. Whoever does not lead hears nothing of commands. Confined to the executor's thread.
 */
final class QueueReader implements AutoCloseable {
  private final Supplier<ZooKeeper> admin;
  private final String queue;
  private final QueueLeader leader;
  private final Executor thread;
  private boolean listed;
  private boolean closed;

  QueueReader(Supplier<ZooKeeper> admin, String queue, QueueLeader leader, Executor thread) {
    this.admin = admin;
    this.queue = ZnodePaths.child(ZooFencePaths.QUEUES, queue);
    this.leader = leader;
    this.thread = thread;
  }

  /** Asks for events and reads the whole queue; at each connection. */
  void begin() {
    ZooKeeper client = admin.get();
    listed = false;
    client.addWatch(queue, AddWatchMode.PERSISTENT_RECURSIVE, (code, path, context) -> {}, null);
    client.sync(queue, (code, path, context) -> {}, null);
    client.getChildren(
        queue,
        false,
        (code, path, context, commands) ->
            run(
                code,
                () -> {
                  listed = true;
                  commands.stream().sorted().forEach(command -> fetch(queue + "/" + command));
                  // Behind everything that was fetched.
                  client.sync(queue, (done, of, ignored) -> run(done, leader::open), null);
                }),
        null);
  }

  private void run(int code, Runnable work) {
    thread.execute(
        () -> {
          if (code == 0 && !closed) {
            work.run();
          }
        });
  }

  /** Something stands in the queue that did not. */
  void created(String path) {
    // What comes before the queue was listed is in the list.
    if (listed && !closed) {
      fetch(path);
    }
  }

  private void fetch(String path) {
    admin
        .get()
        .getData(
            path,
            false,
            (code, of, context, data, stat) -> run(code, () -> leader.arrived(number(path), data)),
            null);
  }

  /** The number of a command, by its path. */
  static long number(String path) {
    return Long.parseLong(path.substring(path.lastIndexOf('-') + 1));
  }

  @Override
  public void close() {
    closed = true;
    admin.get().removeAllWatches(queue, WatcherType.Any, true, (code, of, context) -> {}, null);
  }
}
