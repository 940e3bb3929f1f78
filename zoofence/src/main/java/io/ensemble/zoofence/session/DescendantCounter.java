package io.ensemble.zoofence.session;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetAllChildrenNumberRequest;
import org.apache.zookeeper.proto.GetAllChildrenNumberResponse;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetChildrenResponse;

/**
 * Counts the znodes below a path. If a single instance holds a subtree, that instance counts it.
 * Above such subtrees, and where ZooFence's own znodes may be, the counter lists each znode.
 */
final class DescendantCounter {
  /** Sends requests to instances. */
  interface Asking {
    void send(int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> callback);
  }

  private final Flattening flattening;
  private final ReadPreference readPreference;
  private final Asking sender;
  private final Consumer<ZooKeeperReply> callback;
  private final ArrayDeque<String> pendingPaths = new ArrayDeque<>();
  private int total;

  /**
   * @param callback receives the reply in the form that clients see
   */
  DescendantCounter(
      Flattening flattening,
      ReadPreference readPreference,
      Asking sender,
      Consumer<ZooKeeperReply> callback) {
    this.flattening = flattening;
    this.readPreference = readPreference;
    this.sender = sender;
    this.callback = callback;
  }

  void countBelow(String path) {
    pendingPaths.add(path);
    countNext();
  }

  private void countNext() {
    String path = pendingPaths.poll();
    if (path == null) {
      callback.accept(ZooKeeperReply.done(new GetAllChildrenNumberResponse(total)));
      return;
    }
    InstanceSet holders = flattening.holders(path);
    if (holders.isSingle() && !ZooFencePaths.mayHide(path)) {
      countAt(readPreference.select(holders), path);
    } else {
      listAt(readPreference.select(holders), path);
    }
  }

  private void countAt(int instance, String path) {
    sender.send(
        instance,
        ZooKeeperRequest.of(OpCode.getAllChildrenNumber, new GetAllChildrenNumberRequest(path)),
        reply -> {
          if (reply.succeeded()) {
            total += Jute.read(reply.body(), new GetAllChildrenNumberResponse()).getTotalNumber();
          }
          handleReply(reply);
        });
  }

  private void listAt(int instance, String path) {
    sender.send(
        instance,
        ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(path, false)),
        reply -> {
          if (reply.succeeded()) {
            Jute.read(reply.body(), new GetChildrenResponse()).getChildren().stream()
                .map(child -> ZnodePaths.child(path, child))
                .filter(child -> !ZooFencePaths.hidden(child))
                .forEach(
                    child -> {
                      total++;
                      pendingPaths.add(child);
                    });
          }
          handleReply(reply);
        });
  }

  /**
   * Continues with the next znode. A znode that is gone since it was listed has nothing below it.
   */
  private void handleReply(ZooKeeperReply reply) {
    if (reply.succeeded() || (reply.failedWith(Code.NONODE) && total > 0)) {
      countNext();
    } else {
      callback.accept(reply);
    }
  }
}
