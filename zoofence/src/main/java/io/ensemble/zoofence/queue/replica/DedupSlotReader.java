package io.ensemble.zoofence.queue.replica;

import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooKeeper;

/** Reads all slots of a queue at an instance. */
final class DedupSlotReader {
  /**
   * The slots of a queue.
   *
   * @param versions the versions of the slots' znodes, by their paths
   */
  record Slots(
      NavigableMap<Long, InstanceResult.Remembered> byCommand, Map<String, Integer> versions) {}

  private final ZooKeeper client;
  private final List<String> paths;
  private final Executor executor;
  private final Consumer<Slots> callback;
  private final TreeMap<Long, InstanceResult.Remembered> slotsByCommand = new TreeMap<>();
  private final Map<String, Integer> versions = new HashMap<>();
  private int remaining;

  /**
   * @param callback receives the slots; never called if the instance is lost meanwhile
   */
  DedupSlotReader(
      ZooKeeper client, List<String> paths, Executor executor, Consumer<Slots> callback) {
    this.client = client;
    this.paths = paths;
    this.executor = executor;
    this.callback = callback;
    this.remaining = paths.size();
  }

  void read() {
    for (String path : paths) {
      client.getData(
          path,
          false,
          (code, of, context, data, stat) ->
              executor.execute(
                  () -> {
                    if (code == 0) {
                      versions.put(path, stat.getVersion());
                      addSlot(DedupSlot.read(data == null ? new byte[0] : data), stat.getMzxid());
                    }
                  }),
          null);
    }
  }

  private void addSlot(DedupSlot slot, long zxid) {
    if (slot.command() >= 0) {
      slotsByCommand.put(slot.command(), new InstanceResult.Remembered(slot, zxid));
    }
    remaining--;
    if (remaining == 0) {
      callback.accept(new Slots(slotsByCommand, versions));
    }
  }
}
