package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
import io.ensemble.zoofence.wire.Stats;
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
final class Owner {
  private long session;
  private long since;

  /** Asks for the record, right before the znode itself is asked for. */
  static Request question(String path) {
    return Request.of(
        OpCode.getData, new GetDataRequest(Paths.child(Names.OWNED, Names.escaped(path)), false));
  }

  /** Whether the answer names a session: then the znode is ephemeral, and has no children. */
  static boolean isSession(Reply record) {
    return record.succeeded()
        && Stats.isSession(number(Jute.read(record.body(), new GetDataResponse())));
  }

  private static long number(GetDataResponse record) {
    return ByteBuffer.wrap(record.getData()).getLong();
  }

  void heard(Reply reply) {
    if (reply.succeeded()) {
      var record = Jute.read(reply.body(), new GetDataResponse());
      // Of containers and times to live a ZooKeeper's stats say nothing.
      session = Stats.isSession(number(record)) ? number(record) : 0;
      since = record.getStat().getCzxid();
    }
  }

  /** What makes of the reply that clients see one with the owner, if the record is of the znode. */
  UnaryOperator<Reply> of(Reply asTheInstanceSaid) {
    boolean ours =
        asTheInstanceSaid.succeeded() && session != 0 && Stats.czxid(asTheInstanceSaid) == since;
    return ours ? seen -> Stats.owned(seen, session) : UnaryOperator.identity();
  }

  /** Names the owner in a stat as clients see it, if the record is of the same znode. */
  void name(Stat seen, int instance) {
    if (session != 0 && seen.getCzxid() == Zxids.seen(since, instance)) {
      seen.setEphemeralOwner(session);
    }
  }
}
