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
    void ask(int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> then);
  }

  private final Flattening flattening;
  private final ReadPreference readPreference;
  private final Asking asking;
  private final Consumer<ZooKeeperReply> then;
  private final ArrayDeque<String> left = new ArrayDeque<>();
  private int counted;

  /**
   * @param then receives the reply in the form that clients see
   */
  DescendantCounter(
      Flattening flattening,
      ReadPreference readPreference,
      Asking asking,
      Consumer<ZooKeeperReply> then) {
    this.flattening = flattening;
    this.readPreference = readPreference;
    this.asking = asking;
    this.then = then;
  }

  void below(String path) {
    left.add(path);
    step();
  }

  private void step() {
    String path = left.poll();
    if (path == null) {
      then.accept(ZooKeeperReply.done(new GetAllChildrenNumberResponse(counted)));
      return;
    }
    InstanceSet holders = flattening.holders(path);
    if (holders.isSingle() && !ZooFencePaths.mayHide(path)) {
      count(readPreference.at(holders), path);
    } else {
      list(readPreference.at(holders), path);
    }
  }

  private void count(int instance, String path) {
    asking.ask(
        instance,
        ZooKeeperRequest.of(OpCode.getAllChildrenNumber, new GetAllChildrenNumberRequest(path)),
        reply -> {
          if (reply.succeeded()) {
            counted += Jute.read(reply.body(), new GetAllChildrenNumberResponse()).getTotalNumber();
          }
          next(reply);
        });
  }

  private void list(int instance, String path) {
    asking.ask(
        instance,
        ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(path, false)),
        reply -> {
          if (reply.succeeded()) {
            Jute.read(reply.body(), new GetChildrenResponse()).getChildren().stream()
                .map(child -> ZnodePaths.child(path, child))
                .filter(child -> !ZooFencePaths.hidden(child))
                .forEach(
                    child -> {
                      counted++;
                      left.add(child);
                    });
          }
          next(reply);
        });
  }

  /**
   * Continues with the next znode. A znode that is gone since it was listed has nothing below it.
   */
  private void next(ZooKeeperReply reply) {
    if (reply.succeeded() || (reply.failedWith(Code.NONODE) && counted > 0)) {
      step();
    } else {
      then.accept(reply);
    }
  }
}
