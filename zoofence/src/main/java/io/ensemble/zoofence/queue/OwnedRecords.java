package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** Reads at an instance whose the ephemeral znodes are that several instances hold. */
final class OwnedRecords {
  private final ZooKeeper client;
  private final Executor thread;
  private final Consumer<Map<String, Ownership>> then;
  private final Map<String, Ownership> owners = new HashMap<>();
  private int left;

  /**
   * @param then is given the session that owns each path; never if the instance is lost meanwhile
   */
  OwnedRecords(ZooKeeper client, Executor thread, Consumer<Map<String, Ownership>> then) {
    this.client = client;
    this.thread = thread;
    this.then = then;
  }

  /**
   * Reads whose one path is.
   *
   * @param otherwise is run if there is no answer
   */
  static void one(
      ZooKeeper client,
      String path,
      Executor thread,
      Consumer<@Nullable Ownership> then,
      Runnable otherwise) {
    client.getData(
        Paths.child(Names.OWNED, Names.escaped(path)),
        false,
        (code, of, context, data, stat) ->
            thread.execute(
                () -> {
                  if (code == 0) {
                    then.accept(Ownership.read(data));
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
        Names.OWNED,
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
          Paths.child(Names.OWNED, name),
          false,
          (code, path, context, data, stat) ->
              thread.execute(
                  () -> {
                    if (code == 0) {
                      owners.put(Names.unescaped(name), Ownership.read(data));
                    }
                    if (--left == 0) {
                      then.accept(owners);
                    }
                  }),
          null);
    }
  }
}
