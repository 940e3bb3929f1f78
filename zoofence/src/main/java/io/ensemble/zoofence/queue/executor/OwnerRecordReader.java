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
  private final Executor thread;
  private final Consumer<Map<String, ZnodeOwner>> then;
  private final Map<String, ZnodeOwner> owners = new HashMap<>();
  private int left;

  /**
   * @param then receives the owner of each path; never called if the instance is lost meanwhile
   */
  OwnerRecordReader(ZooKeeper client, Executor thread, Consumer<Map<String, ZnodeOwner>> then) {
    this.client = client;
    this.thread = thread;
    this.then = then;
  }

  /**
   * Reads the owner of one path.
   *
   * @param otherwise is run if there is no response
   */
  static void one(
      ZooKeeper client,
      String path,
      Executor thread,
      Consumer<@Nullable ZnodeOwner> then,
      Runnable otherwise) {
    client.getData(
        ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)),
        false,
        (code, of, context, data, stat) ->
            thread.execute(
                () -> {
                  if (code == 0) {
                    then.accept(ZnodeOwner.read(data));
                  } else if (code == Code.NONODE.intValue()) {
                    then.accept(null);
                  } else {
                    otherwise.run();
                  }
                }),
        null);
  }

  void read() {
    client.getChildren(
        ZooFencePaths.OWNED,
        false,
        (code, path, context, names) ->
            thread.execute(
                () -> {
                  if (code == 0) {
                    read(names);
                  }
                }),
        null);
  }

  private void read(List<String> names) {
    left = names.size();
    if (left == 0) {
      then.accept(owners);
    }
    for (String name : names) {
      client.getData(
          ZnodePaths.child(ZooFencePaths.OWNED, name),
          false,
          (code, path, context, data, stat) ->
              thread.execute(
                  () -> {
                    if (code == 0) {
                      owners.put(ZooFencePaths.unescaped(name), ZnodeOwner.read(data));
                    }
                    if (--left == 0) {
                      then.accept(owners);
                    }
                  }),
          null);
    }
  }
}
