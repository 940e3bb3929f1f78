package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooKeeper;

/** Reads all slots of a queue at an instance. */
final class DedupSlotReader {
  private final ZooKeeper client;
  private final List<String> paths;
  private final Executor thread;
  private final Consumer<NavigableMap<Long, InstanceResult.Remembered>> then;
  private final TreeMap<Long, InstanceResult.Remembered> read = new TreeMap<>();
  private int left;

  /**
   * @param then receives the slots by the numbers of their commands; never called if the instance
   *     is lost meanwhile
   */
  DedupSlotReader(
      ZooKeeper client,
      List<String> paths,
      Executor thread,
      Consumer<NavigableMap<Long, InstanceResult.Remembered>> then) {
    this.client = client;
    this.paths = paths;
    this.thread = thread;
    this.then = then;
    this.left = paths.size();
  }

  void read() {
    for (String path : paths) {
      client.getData(
          path,
          false,
          (code, of, context, data, stat) ->
              thread.execute(
                  () -> {
                    if (code == 0) {
                      take(DedupSlot.read(data == null ? new byte[0] : data), stat.getMzxid());
                    }
                  }),
          null);
    }
  }

  private void take(DedupSlot slot, long zxid) {
    if (slot.command() >= 0) {
      read.put(slot.command(), new InstanceResult.Remembered(slot, zxid));
    }
    left--;
    if (left == 0) {
      then.accept(read);
    }
  }
}
