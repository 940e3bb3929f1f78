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
 * Whose a znode is that several instances hold and that does not stay of itself: an ephemeral one,
 * a container, one with a time to live. To each of them it is one that stays, with a record beside
 * it that was made in the same transaction.
 */
public final class OwnerLookup {
  private long session;
  private long since;

  /** Asks for the record, right before the znode itself is asked for. */
  public static ZooKeeperRequest question(String path) {
    return ZooKeeperRequest.of(
        OpCode.getData,
        new GetDataRequest(
            ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path)), false));
  }

  /** Whether the answer names a session: then the znode is ephemeral, and has no children. */
  public static boolean isSession(ZooKeeperReply record) {
    return record.succeeded()
        && StatTranslator.isSession(number(Jute.read(record.body(), new GetDataResponse())));
  }

  private static long number(GetDataResponse record) {
    return ByteBuffer.wrap(record.getData()).getLong();
  }

  public void heard(ZooKeeperReply reply) {
    if (reply.succeeded()) {
      var record = Jute.read(reply.body(), new GetDataResponse());
      // Of containers and times to live a ZooKeeper's stats say nothing.
      session = StatTranslator.isSession(number(record)) ? number(record) : 0;
      since = record.getStat().getCzxid();
    }
  }

  /** What makes of the reply that clients see one with the owner, if the record is of the znode. */
  public UnaryOperator<ZooKeeperReply> of(ZooKeeperReply asTheInstanceSaid) {
    boolean ours =
        asTheInstanceSaid.succeeded()
            && session != 0
            && StatTranslator.czxid(asTheInstanceSaid) == since;
    return ours ? seen -> StatTranslator.owned(seen, session) : UnaryOperator.identity();
  }

  /** Names the owner in a stat as clients see it, if the record is of the same znode. */
  public void name(Stat seen, int instance) {
    if (session != 0 && seen.getCzxid() == Zxids.seen(since, instance)) {
      seen.setEphemeralOwner(session);
    }
  }
}
