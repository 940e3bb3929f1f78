package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetAllChildrenNumberRequest;
import org.apache.zookeeper.proto.GetAllChildrenNumberResponse;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetChildrenResponse;

/**
 * Counts the znodes below a path: an instance that alone holds a subtree counts it; above, and
 * where znodes of our own may be, each is looked at.
 */
final class Walk {
  /** How instances are asked. */
  interface Asking {
    void ask(int instance, Request request, Consumer<Reply> then);
  }

  private final Flattening flattening;
  private final Reads reads;
  private final Asking asking;
  private final Consumer<Reply> then;
  private final ArrayDeque<String> left = new ArrayDeque<>();
  private int counted;

  /**
   * @param then gets the reply, as clients do
   */
  Walk(Flattening flattening, Reads reads, Asking asking, Consumer<Reply> then) {
    this.flattening = flattening;
    this.reads = reads;
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
      then.accept(Reply.done(new GetAllChildrenNumberResponse(counted)));
      return;
    }
    InstanceSet holders = flattening.holders(path);
    if (holders.isSingle() && !Names.mayHide(path)) {
      count(reads.at(holders), path);
    } else {
      list(reads.at(holders), path);
    }
  }

  private void count(int instance, String path) {
    asking.ask(
        instance,
        Request.of(OpCode.getAllChildrenNumber, new GetAllChildrenNumberRequest(path)),
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
        Request.of(OpCode.getChildren, new GetChildrenRequest(path, false)),
        reply -> {
          if (reply.succeeded()) {
            Jute.read(reply.body(), new GetChildrenResponse()).getChildren().stream()
                .map(child -> Paths.child(path, child))
                .filter(child -> !Names.hidden(child))
                .forEach(
                    child -> {
                      counted++;
                      left.add(child);
                    });
          }
          next(reply);
        });
  }

  /** What has gone since it was listed has nothing below it. */
  private void next(Reply reply) {
    if (reply.succeeded() || (reply.failedWith(Code.NONODE) && counted > 0)) {
      step();
    } else {
      then.accept(reply);
    }
  }
}
