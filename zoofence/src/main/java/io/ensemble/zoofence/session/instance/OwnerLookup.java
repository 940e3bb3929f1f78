package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.StatTranslator;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.ensemble.zoofence.wire.Zxids;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;

/**
 * The owner of a znode that several instances hold and that is not permanent: an ephemeral one, a
 * container, or one with a time to live. Each instance stores it as a permanent znode, with a
 * record that the same transaction created.
 */
public final class OwnerLookup {
  private long session;
  private long czxid;

  /** A request for the record, to be sent directly before the request for the znode itself. */
  public static ZooKeeperRequest createRequest(String path) {
    return ZooKeeperRequest.of(
        OpCode.getData,
        new GetDataRequest(
            ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)), false));
  }

  /** Whether the response names a session; then the znode is ephemeral and has no children. */
  public static boolean isSession(ZooKeeperReply record) {
    return record.succeeded()
        && StatTranslator.isSession(readOwner(Jute.read(record.body(), new GetDataResponse())));
  }

  private static long readOwner(GetDataResponse record) {
    return ByteBuffer.wrap(record.getData()).getLong();
  }

  public void recordReply(ZooKeeperReply reply) {
    if (reply.succeeded()) {
      var record = Jute.read(reply.body(), new GetDataResponse());
      // ZooKeeper's stats do not show containers and times to live.
      session = StatTranslator.isSession(readOwner(record)) ? readOwner(record) : 0;
      czxid = record.getStat().getCzxid();
    }
  }

  /**
   * A function that inserts the owner into the reply that clients see, if the record belongs to
   * this znode.
   */
  public UnaryOperator<ZooKeeperReply> of(ZooKeeperReply instanceReply) {
    boolean isSameZnode =
        instanceReply.succeeded() && session != 0 && StatTranslator.czxid(instanceReply) == czxid;
    return isSameZnode
        ? clientReply -> StatTranslator.owned(clientReply, session)
        : UnaryOperator.identity();
  }

  /** Inserts the owner into a stat as clients see it, if the record belongs to the same znode. */
  public void insertOwner(Stat clientStat, int instance) {
    if (session != 0 && clientStat.getCzxid() == Zxids.seen(czxid, instance)) {
      clientStat.setEphemeralOwner(session);
    }
  }
}
