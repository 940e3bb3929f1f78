package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceSession;
import io.ensemble.zoofence.queue.AdminAccess;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SyncRequest;

/** A session's znodes in the administrative ensemble. */
final class SessionRecords {
  private SessionRecords() {}

  /** The path of a session's record. */
  static String recordPath(long session) {
    return ZnodePaths.child(ZooFencePaths.SESSIONS, ZooFencePaths.hex(session));
  }

  private static String livePath(long session) {
    return ZnodePaths.child(ZooFencePaths.LIVE, ZooFencePaths.hex(session));
  }

  /**
   * Creates the znodes of a new session, all or none: a session with only some of them counts as
   * ended.
   *
   * @param ownerMark the mark of the owner from now on
   * @param access the access list of the record
   */
  static void createSession(
      InstanceSession admin, byte[] ownerMark, AdminAccess access, Consumer<Boolean> callback) {
    long session = admin.identity().session();
    var operations = new MultiOperationRecord();
    byte[] empty = new byte[0];
    String ephemerals = ZnodePaths.child(ZooFencePaths.EPHEMERALS, ZooFencePaths.hex(session));
    // The record will hold the passwords of the sessions at the instances.
    operations.add(Op.create(recordPath(session), empty, access.acl(), CreateMode.PERSISTENT));
    operations.add(create(ephemerals, empty, CreateMode.PERSISTENT));
    operations.add(create(livePath(session), ownerMark, CreateMode.EPHEMERAL));
    admin.prepare(
        ZooKeeperRequest.of(OpCode.multi, operations),
        reply -> callback.accept(reply.succeeded() && tookEffect(reply)));
  }

  private static boolean tookEffect(ZooKeeperReply reply) {
    return Jute.read(reply.body(), new MultiResponse()).getResultList().stream()
        .noneMatch(OpResult.ErrorResult.class::isInstance);
  }

  private static Op create(String path, byte[] data, CreateMode mode) {
    return Op.create(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
  }

  /**
   * Takes a session over, and reads its record; {@code NONODE} if the session has ended.
   *
   * @param ownerMark the mark of the owner from now on
   */
  static void takeOver(InstanceSession admin, byte[] ownerMark, Consumer<ZooKeeperReply> callback) {
    var request = new SetDataRequest(livePath(admin.identity().session()), ownerMark, -1);
    admin.prepare(ZooKeeperRequest.of(OpCode.setData, request), reply -> {});
    // The server of this connection may lag behind the one at which the session was begun.
    admin.prepare(
        ZooKeeperRequest.of(OpCode.sync, new SyncRequest(ZooFencePaths.SESSIONS)), reply -> {});
    String path = recordPath(admin.identity().session());
    admin.prepare(ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(path, false)), callback);
  }

  /** Whether another owner has taken the session over; false if the record cannot be read. */
  static void checkTaken(InstanceSession admin, byte[] ownerMark, Consumer<Boolean> callback) {
    String path = livePath(admin.identity().session());
    admin.prepare(ZooKeeperRequest.of(OpCode.sync, new SyncRequest(path)), reply -> {});
    admin.prepare(
        ZooKeeperRequest.of(OpCode.getData, new GetDataRequest(path, false)),
        reply ->
            callback.accept(
                reply.succeeded()
                    && !Arrays.equals(
                        Jute.read(reply.body(), new GetDataResponse()).getData(), ownerMark)));
  }

  static List<MemberSessionRecord> readRecords(ZooKeeperReply record) {
    return MemberSessionRecord.read(Jute.read(record.body(), new GetDataResponse()).getData());
  }
}
