package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetChildrenResponse;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;

/**
 * Ends a session that its client closes. First the ephemeral znodes that several instances hold are
 * removed through their queues. Then the sessions at the instances end, and with them all other
 * ephemeral znodes. The records of the session are deleted last.
 */
final class SessionCloser {
  private final InstanceSession admin;
  private final SessionMailbox mailbox;
  private final String session;
  private final Collection<InstanceClient> instances;
  private final Flattening flattening;
  private final long requestTimeoutMillis;
  private boolean areAllGone;

  SessionCloser(
      InstanceSession admin,
      SessionMailbox mailbox,
      Collection<InstanceClient> instances,
      Flattening flattening,
      long requestTimeoutMillis) {
    this.admin = admin;
    this.mailbox = mailbox;
    this.session = ZooFencePaths.hex(admin.identity().session());
    this.instances = List.copyOf(instances);
    this.flattening = flattening;
    this.requestTimeoutMillis = requestTimeoutMillis;
    // A command that has not ended may still create an ephemeral znode.
    this.areAllGone = mailbox.areEarlierCommandsEnded();
  }

  /**
   * @param callback receives whether the session's znodes are certainly gone. If not, an ensemble
   *     could not be reached. The znodes are removed when that ensemble expires the session or its
   *     queue continues
   */
  void run(Consumer<Boolean> callback) {
    String records = ZnodePaths.child(ZooFencePaths.EPHEMERALS, session);
    admin.prepare(
        ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(records, false)),
        reply -> {
          recordReply(reply);
          var owned =
              reply.succeeded()
                  ? Jute.read(reply.body(), new GetChildrenResponse()).getChildren()
                  : List.<String>of();
          var countdown = new Countdown(owned.size(), () -> endInstances(callback));
          owned.forEach(record -> removeZnode(records, record, countdown));
          countdown.begin();
        });
  }

  /**
   * Removes a znode. Its record is the command that removes it, and is deleted when that command
   * has been executed.
   */
  private void removeZnode(String records, String record, Countdown countdown) {
    admin.prepare(
        ZooKeeperRequest.of(
            OpCode.getData, new GetDataRequest(ZnodePaths.child(records, record), false)),
        reply -> {
          if (!reply.succeeded()) {
            recordReply(reply);
            countdown.countDown();
            return;
          }
          byte[] command = Jute.read(reply.body(), new GetDataResponse()).getData();
          mailbox.submit(
              flattening.holdersOfParent(ZooFencePaths.recorded(record)),
              QueueCommand.read(command),
              requestTimeoutMillis,
              done -> {
                recordReply(done);
                countdown.countDown();
              });
        });
  }

  /**
   * Notes a result. A missing znode needs no removal; after any other failure, the removal is
   * uncertain.
   */
  private void recordReply(ZooKeeperReply reply) {
    areAllGone &= reply.succeeded() || reply.failedWith(Code.NONODE);
  }

  private void endInstances(Consumer<Boolean> callback) {
    var countdown =
        new Countdown(
            instances.size(),
            () -> {
              mailbox.deleteOutcomes();
              delete(ZnodePaths.child(ZooFencePaths.SESSIONS, session), reply -> {});
              // Not empty if a record is left: the znode was not where it was to be removed.
              delete(ZnodePaths.child(ZooFencePaths.EPHEMERALS, session), this::recordReply);
              admin.close(
                  requestTimeoutMillis, isClosed -> callback.accept(isClosed && areAllGone));
            });
    for (InstanceClient instanceClient : instances) {
      instanceClient
          .link()
          .close(
              requestTimeoutMillis,
              isClosed -> {
                areAllGone &= isClosed;
                countdown.countDown();
              });
    }
    countdown.begin();
  }

  private void delete(String path, Consumer<ZooKeeperReply> callback) {
    admin.prepare(ZooKeeperRequest.of(OpCode.delete, new DeleteRequest(path, -1)), callback);
  }

  /** Runs a task after a number of events. */
  private static final class Countdown {
    private final Runnable callback;
    private int remaining;

    Countdown(int remaining, Runnable callback) {
      this.remaining = remaining;
      this.callback = callback;
    }

    void begin() {
      if (remaining == 0) {
        remaining = -1;
        callback.run();
      }
    }

    void countDown() {
      if (--remaining == 0) {
        remaining = -1;
        callback.run();
      }
    }
  }
}
