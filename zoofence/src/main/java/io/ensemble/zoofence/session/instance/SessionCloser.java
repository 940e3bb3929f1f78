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
  private final long patienceMillis;
  private boolean allGone = true;

  SessionCloser(
      InstanceSession admin,
      SessionMailbox mailbox,
      Collection<InstanceClient> instances,
      Flattening flattening,
      long patienceMillis) {
    this.admin = admin;
    this.mailbox = mailbox;
    this.session = ZooFencePaths.hex(admin.identity().session());
    this.instances = List.copyOf(instances);
    this.flattening = flattening;
    this.patienceMillis = patienceMillis;
  }

  /**
   * @param then receives whether the session's znodes are certainly gone. If not, an ensemble could
   *     not be reached. The znodes are removed when that ensemble expires the session or its queue
   *     continues
   */
  void run(Consumer<Boolean> then) {
    String records = ZnodePaths.child(ZooFencePaths.EPHEMERALS, session);
    admin.prepare(
        ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(records, false)),
        reply -> {
          note(reply);
          var owned =
              reply.succeeded()
                  ? Jute.read(reply.body(), new GetChildrenResponse()).getChildren()
                  : List.<String>of();
          var left = new Countdown(owned.size(), () -> endInstances(then));
          owned.forEach(record -> remove(records, record, left));
          left.begin();
        });
  }

  /**
   * Removes a znode. Its record is the command that removes it, and is deleted when that command
   * has been executed.
   */
  private void remove(String records, String record, Countdown left) {
    admin.prepare(
        ZooKeeperRequest.of(
            OpCode.getData, new GetDataRequest(ZnodePaths.child(records, record), false)),
        reply -> {
          if (!reply.succeeded()) {
            note(reply);
            left.down();
            return;
          }
          byte[] command = Jute.read(reply.body(), new GetDataResponse()).getData();
          mailbox.submit(
              flattening.holdersOfParent(ZooFencePaths.recorded(record)),
              QueueCommand.read(command),
              patienceMillis,
              done -> {
                note(done);
                left.down();
              });
        });
  }

  /**
   * Notes a result. A missing znode needs no removal; after any other failure, the removal is
   * uncertain.
   */
  private void note(ZooKeeperReply reply) {
    allGone &= reply.succeeded() || reply.failedWith(Code.NONODE);
  }

  private void endInstances(Consumer<Boolean> then) {
    var left =
        new Countdown(
            instances.size(),
            () -> {
              delete(ZnodePaths.child(ZooFencePaths.SESSIONS, session));
              delete(ZnodePaths.child(ZooFencePaths.EPHEMERALS, session));
              admin.close(patienceMillis, over -> then.accept(over && allGone));
            });
    for (InstanceClient instanceClient : instances) {
      instanceClient
          .link()
          .close(
              patienceMillis,
              over -> {
                allGone &= over;
                left.down();
              });
    }
    left.begin();
  }

  private void delete(String path) {
    admin.prepare(ZooKeeperRequest.of(OpCode.delete, new DeleteRequest(path, -1)), reply -> {});
  }

  /** Runs a task after a number of events. */
  private static final class Countdown {
    private final Runnable then;
    private int left;

    Countdown(int left, Runnable then) {
      this.left = left;
      this.then = then;
    }

    void begin() {
      if (left == 0) {
        left = -1;
        then.run();
      }
    }

    void down() {
      if (--left == 0) {
        left = -1;
        then.run();
      }
    }
  }
}
