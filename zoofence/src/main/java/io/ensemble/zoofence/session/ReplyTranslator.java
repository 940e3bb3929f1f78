package io.ensemble.zoofence.session;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.StatTranslator;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import io.ensemble.zoofence.wire.Zxids;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.GetChildren2Response;
import org.apache.zookeeper.proto.GetChildrenResponse;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.SyncResponse;
import org.jspecify.annotations.Nullable;

/** Translates an instance's replies into the replies of the whole deployment. */
final class ReplyTranslator {
  private static final String SYSTEM = "/zookeeper";
  private static final byte[] NOTHING = {};

  private ReplyTranslator() {}

  /**
   * A transaction of the operations before the first creation below {@code parent}; the transaction
   * has no effect. Null if the request is not a transaction.
   */
  static @Nullable ZooKeeperRequest createProbe(ZooKeeperRequest request, String parent) {
    if (request.type() != OpCode.multi) {
      return null;
    }
    var probe = new MultiOperationRecord();
    for (Op operation : RouteFinder.operations(request.body())) {
      if (RouteFinder.isCreate(operation.getType())
          && ZnodePaths.parent(operation.getPath()).equals(parent)) {
        break;
      }
      probe.add(operation);
    }
    probe.add(Op.check(ZooFencePaths.NEVER, 0));
    return ZooKeeperRequest.of(OpCode.multi, probe);
  }

  /** The reply to a transaction that would create a znode below an ephemeral one. */
  static ZooKeeperReply refuseChild(ZooKeeperRequest request, ZooKeeperReply probeReply) {
    if (!probeReply.succeeded()) {
      return probeReply;
    }
    var body = new MultiResponse();
    List<OpResult> precedingResults =
        Jute.read(probeReply.body(), new MultiResponse()).getResultList();
    boolean failed = false;
    int index = 0;
    for (Op ignored : RouteFinder.operations(request.body())) {
      int error = Code.RUNTIMEINCONSISTENCY.intValue();
      if (!failed && index < precedingResults.size() - 1) {
        error = ((OpResult.ErrorResult) precedingResults.get(index)).getErr();
        failed = error != 0;
      } else if (!failed) {
        error = Code.NOCHILDRENFOREPHEMERALS.intValue();
        failed = true;
      }
      body.add(new OpResult.ErrorResult(error));
      index++;
    }
    return ZooKeeperReply.done(body);
  }

  /**
   * The reply for the outcome of a command; for an empty transaction, the reply to the {@code sync}
   * that the client sent.
   */
  static ZooKeeperReply toSyncReply(ZooKeeperRequest request, ZooKeeperReply outcome) {
    return request.type() == OpCode.sync && outcome.succeeded()
        ? outcome.with(Jute.write(new SyncResponse(request.path())))
        : outcome;
  }

  static ZooKeeperReply translateReply(
      ZooKeeperRequest request, ZooKeeperReply reply, int instance, LongUnaryOperator owner) {
    if (!reply.succeeded()) {
      return reply;
    }
    if (request.type() == OpCode.multi) {
      return translateMulti(reply, instance, owner);
    }
    if (request.type() == OpCode.multiRead) {
      return translateMulti(hideServers(request, reply), instance, owner);
    }
    ZooKeeperReply filtered = hideServers(request, removeInternalChildren(request, reply));
    return StatTranslator.in(request.type())
        ? StatTranslator.translated(filtered, instance, owner)
        : filtered;
  }

  private static ZooKeeperReply translateMulti(
      ZooKeeperReply reply, int instance, LongUnaryOperator owner) {
    var response = Jute.read(reply.body(), new MultiResponse());
    boolean hasStat = false;
    for (OpResult result : response) {
      Stat stat = stat(result);
      if (stat != null) {
        hasStat = true;
        translate(stat, instance, owner);
      }
    }
    return hasStat ? reply.with(Jute.write(response)) : reply;
  }

  private static @Nullable Stat stat(OpResult result) {
    if (result instanceof OpResult.CreateResult created) {
      return created.getStat();
    }
    if (result instanceof OpResult.SetDataResult set) {
      return set.getStat();
    }
    return result instanceof OpResult.GetDataResult data ? data.getStat() : null;
  }

  /** Translates a stat of an instance to the stat that clients see. */
  static void translate(Stat stat, int instance, LongUnaryOperator owner) {
    stat.setCzxid(Zxids.seen(stat.getCzxid(), instance));
    stat.setMzxid(Zxids.seen(stat.getMzxid(), instance));
    stat.setPzxid(Zxids.seen(stat.getPzxid(), instance));
    if (stat.getEphemeralOwner() != 0) {
      stat.setEphemeralOwner(owner.applyAsLong(stat.getEphemeralOwner()));
    }
  }

  /**
   * Removes ZooFence's own znodes from the list of children of their parent, which belongs to
   * ZooKeeper.
   */
  private static ZooKeeperReply removeInternalChildren(
      ZooKeeperRequest request, ZooKeeperReply reply) {
    boolean isPlain = request.type() == OpCode.getChildren;
    boolean hasStat = request.type() == OpCode.getChildren2;
    if (!(isPlain || hasStat) || !request.path().equals(SYSTEM)) {
      return reply;
    }
    Record filtered;
    if (isPlain) {
      var response = Jute.read(reply.body(), new GetChildrenResponse());
      response.setChildren(listClientChildren(response.getChildren()));
      filtered = response;
    } else {
      var response = Jute.read(reply.body(), new GetChildren2Response());
      response.setChildren(listClientChildren(response.getChildren()));
      response.getStat().setNumChildren(response.getChildren().size());
      filtered = response;
    }
    return reply.with(Jute.write(filtered));
  }

  /**
   * Replaces the list of servers, which names the instance's own ones; clients must not connect to
   * those. The client gets the reply of a server without others: an empty list.
   */
  private static ZooKeeperReply hideServers(ZooKeeperRequest request, ZooKeeperReply reply) {
    if (request.type() == OpCode.getData && request.path().equals(ZooDefs.CONFIG_NODE)) {
      var response = Jute.read(reply.body(), new GetDataResponse());
      return reply.with(
          Jute.write(new GetDataResponse(NOTHING, clearDataLength(response.getStat()))));
    }
    if (request.type() != OpCode.multiRead
        || !RouteFinder.paths(request).contains(ZooDefs.CONFIG_NODE)) {
      return reply;
    }
    var response = new MultiResponse();
    Iterator<Op> operations = RouteFinder.operations(request.body()).iterator();
    for (OpResult result : Jute.read(reply.body(), new MultiResponse())) {
      boolean isServerList = operations.next().getPath().equals(ZooDefs.CONFIG_NODE);
      response.add(
          isServerList && result instanceof OpResult.GetDataResult data
              ? new OpResult.GetDataResult(NOTHING, clearDataLength(data.getStat()))
              : result);
    }
    return reply.with(Jute.write(response));
  }

  private static Stat clearDataLength(Stat stat) {
    stat.setDataLength(0);
    return stat;
  }

  private static List<String> listClientChildren(List<String> children) {
    return children.stream().filter(child -> !ZooFencePaths.hidden(SYSTEM + "/" + child)).toList();
  }
}
