package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.ZnodeOwner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** Reads at an instance the owners of the ephemeral znodes that several instances hold. */
final class OwnerRecordReader {
  private final ZooKeeper client;
  private final Executor executor;
  private final Consumer<Map<String, ZnodeOwner>> callback;
  private final Map<String, ZnodeOwner> owners = new HashMap<>();
  private int remaining;

  /**
   * @param callback receives the owner of each path; never called if the instance is lost meanwhile
   */
  OwnerRecordReader(
      ZooKeeper client, Executor executor, Consumer<Map<String, ZnodeOwner>> callback) {
    this.client = client;
    this.executor = executor;
    this.callback = callback;
  }

  /**
   * Reads the owner of one path.
   *
   * @param onFailure is run if there is no response
   */
  static void readOne(
      ZooKeeper client,
      String path,
      Executor executor,
      Consumer<@Nullable ZnodeOwner> callback,
      Runnable onFailure) {
    client.getData(
        ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)),
        false,
        (code, of, context, data, stat) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    callback.accept(ZnodeOwner.read(data));
                  } else if (code == Code.NONODE.intValue()) {
                    callback.accept(null);
                  } else {
                    onFailure.run();
                  }
                }),
        null);
  }

  void read() {
    client.getChildren(
        ZooFencePaths.OWNED,
        false,
        (code, path, context, names) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    read(names);
                  }
                }),
        null);
  }

  private void read(List<String> names) {
    remaining = names.size();
    if (remaining == 0) {
      callback.accept(owners);
    }
    for (String name : names) {
      client.getData(
          ZnodePaths.child(ZooFencePaths.OWNED, name),
          false,
          (code, path, context, data, stat) ->
              executor.execute(
                  () -> {
                    if (code == 0) {
                      owners.put(ZooFencePaths.unescaped(name), ZnodeOwner.read(data));
                    }
                    if (--remaining == 0) {
                      callback.accept(owners);
                    }
                  }),
          null);
    }
  }
}
