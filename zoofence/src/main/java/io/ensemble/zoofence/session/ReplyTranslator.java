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
  static @Nullable ZooKeeperRequest before(ZooKeeperRequest request, String parent) {
    if (request.type() != OpCode.multi) {
      return null;
    }
    var before = new MultiOperationRecord();
    for (Op operation : RouteFinder.operations(request.body())) {
      if (RouteFinder.isCreate(operation.getType())
          && ZnodePaths.parent(operation.getPath()).equals(parent)) {
        break;
      }
      before.add(operation);
    }
    before.add(Op.check(ZooFencePaths.NEVER, 0));
    return ZooKeeperRequest.of(OpCode.multi, before);
  }

  /** The reply to a transaction that would create a znode below an ephemeral one. */
  static ZooKeeperReply childless(ZooKeeperRequest request, ZooKeeperReply tried) {
    if (!tried.succeeded()) {
      return tried;
    }
    var body = new MultiResponse();
    List<OpResult> before = Jute.read(tried.body(), new MultiResponse()).getResultList();
    boolean failed = false;
    int place = 0;
    for (Op ignored : RouteFinder.operations(request.body())) {
      int error = Code.RUNTIMEINCONSISTENCY.intValue();
      if (!failed && place < before.size() - 1) {
        error = ((OpResult.ErrorResult) before.get(place)).getErr();
        failed = error != 0;
      } else if (!failed) {
        error = Code.NOCHILDRENFOREPHEMERALS.intValue();
        failed = true;
      }
      body.add(new OpResult.ErrorResult(error));
      place++;
    }
    return ZooKeeperReply.done(body);
  }

  /**
   * The reply for the outcome of a command; for an empty transaction, the reply to the {@code sync}
   * that the client sent.
   */
  static ZooKeeperReply synced(ZooKeeperRequest request, ZooKeeperReply outcome) {
    return request.type() == OpCode.sync && outcome.succeeded()
        ? outcome.with(Jute.write(new SyncResponse(request.path())))
        : outcome;
  }

  static ZooKeeperReply translated(
      ZooKeeperRequest request, ZooKeeperReply reply, int instance, LongUnaryOperator owner) {
    if (!reply.succeeded()) {
      return reply;
    }
    if (request.type() == OpCode.multi) {
      return multi(reply, instance, owner);
    }
    if (request.type() == OpCode.multiRead) {
      return multi(withoutServers(request, reply), instance, owner);
    }
    ZooKeeperReply mine = withoutServers(request, withoutOurs(request, reply));
    return StatTranslator.in(request.type())
        ? StatTranslator.translated(mine, instance, owner)
        : mine;
  }

  private static ZooKeeperReply multi(ZooKeeperReply reply, int instance, LongUnaryOperator owner) {
    var response = Jute.read(reply.body(), new MultiResponse());
    boolean changed = false;
    for (OpResult result : response) {
      Stat stat = stat(result);
      if (stat != null) {
        changed = true;
        translate(stat, instance, owner);
      }
    }
    return changed ? reply.with(Jute.write(response)) : reply;
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
  private static ZooKeeperReply withoutOurs(ZooKeeperRequest request, ZooKeeperReply reply) {
    boolean plain = request.type() == OpCode.getChildren;
    boolean withStat = request.type() == OpCode.getChildren2;
    if (!(plain || withStat) || !request.path().equals(SYSTEM)) {
      return reply;
    }
    Record less;
    if (plain) {
      var all = Jute.read(reply.body(), new GetChildrenResponse());
      all.setChildren(theirs(all.getChildren()));
      less = all;
    } else {
      var all = Jute.read(reply.body(), new GetChildren2Response());
      all.setChildren(theirs(all.getChildren()));
      all.getStat().setNumChildren(all.getChildren().size());
      less = all;
    }
    return reply.with(Jute.write(less));
  }

  /**
   * Replaces the list of servers, which names the instance's own ones; clients must not connect to
   * those. The client gets the reply of a server without others: an empty list.
   */
  private static ZooKeeperReply withoutServers(ZooKeeperRequest request, ZooKeeperReply reply) {
    if (request.type() == OpCode.getData && request.path().equals(ZooDefs.CONFIG_NODE)) {
      var told = Jute.read(reply.body(), new GetDataResponse());
      return reply.with(Jute.write(new GetDataResponse(NOTHING, dataless(told.getStat()))));
    }
    if (request.type() != OpCode.multiRead
        || !RouteFinder.paths(request).contains(ZooDefs.CONFIG_NODE)) {
      return reply;
    }
    var told = new MultiResponse();
    Iterator<Op> operations = RouteFinder.operations(request.body()).iterator();
    for (OpResult one : Jute.read(reply.body(), new MultiResponse())) {
      boolean servers = operations.next().getPath().equals(ZooDefs.CONFIG_NODE);
      told.add(
          servers && one instanceof OpResult.GetDataResult data
              ? new OpResult.GetDataResult(NOTHING, dataless(data.getStat()))
              : one);
    }
    return reply.with(Jute.write(told));
  }

  private static Stat dataless(Stat stat) {
    stat.setDataLength(0);
    return stat;
  }

  private static List<String> theirs(List<String> children) {
    return children.stream().filter(child -> !ZooFencePaths.hidden(SYSTEM + "/" + child)).toList();
  }
}
