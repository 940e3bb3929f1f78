package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Finds the route of each request from the flattening and from the paths that the request changes.
 */
public final class RouteFinder {
  private RouteFinder() {}

  public static ZnodeRoute of(
      ZooKeeperRequest request, Flattening flattening, ReadPreference readPreference) {
    Code error = WriteValidator.findError(request);
    if (error != null) {
      return new ZnodeRoute.Refused(error);
    }
    ZnodeRoute route = findRoute(request, flattening, readPreference);
    boolean isTooLarge = route instanceof ZnodeRoute.Write && !WriteValidator.fitsGuarded(request);
    return isTooLarge ? new ZnodeRoute.Refused(Code.MARSHALLINGERROR) : route;
  }

  private static ZnodeRoute findRoute(
      ZooKeeperRequest request, Flattening flattening, ReadPreference readPreference) {
    return switch (request.type()) {
      case OpCode.exists, OpCode.getData, OpCode.getACL, OpCode.getChildren, OpCode.getChildren2 ->
          read(request.path(), flattening, readPreference);
      case OpCode.sync -> sync(request.path(), flattening, readPreference);
      case OpCode.setData, OpCode.setACL -> write(request, request.path(), flattening);
      case OpCode.create,
          OpCode.create2,
          OpCode.createContainer,
          OpCode.createTTL,
          OpCode.delete,
          OpCode.deleteContainer ->
          write(request, ZnodePaths.parent(request.path()), flattening);
      case OpCode.multi -> multi(request, flattening);
      case OpCode.multiRead -> multiRead(request, flattening, readPreference);
      case OpCode.addWatch, OpCode.removeWatches, OpCode.checkWatches ->
          ZooFencePaths.hidden(request.path())
              ? new ZnodeRoute.Refused(Code.NOAUTH)
              : new ZnodeRoute.Gather();
      case OpCode.getEphemerals,
          OpCode.getAllChildrenNumber,
          OpCode.whoAmI,
          OpCode.setWatches,
          OpCode.setWatches2,
          OpCode.closeSession ->
          new ZnodeRoute.Gather();
      // Reconfig changes the servers of one ensemble, and here are several. A server whose
      // reconfigEnabled is off answers the same.
      case OpCode.reconfig -> new ZnodeRoute.Refused(Code.RECONFIGDISABLED);
      case OpCode.sasl -> new ZnodeRoute.Refused(Code.UNIMPLEMENTED);
      default -> new ZnodeRoute.Unknown();
    };
  }

  private static ZnodeRoute read(
      String path, Flattening flattening, ReadPreference readPreference) {
    return ZooFencePaths.hidden(path)
        ? new ZnodeRoute.Refused(Code.NOAUTH)
        : new ZnodeRoute.Read(readPreference.select(flattening.holders(path)));
  }

  /**
   * The route of a {@code sync}. With relaxed reads, a server that catches up with its own instance
   * is not enough.
   */
  private static ZnodeRoute sync(
      String path, Flattening flattening, ReadPreference readPreference) {
    InstanceSet holders = flattening.holders(path);
    return readPreference.isRelaxed() && !holders.isSingle() && !ZooFencePaths.hidden(path)
        ? new ZnodeRoute.Sync(holders)
        : read(path, flattening, readPreference);
  }

  /** The route of a write that all holders of {@code decisivePath} have to execute. */
  private static ZnodeRoute write(
      ZooKeeperRequest request, String decisivePath, Flattening flattening) {
    if (ZooFencePaths.hidden(request.path()) || isServerList(request.type(), request.path())) {
      return new ZnodeRoute.Refused(Code.NOAUTH);
    }
    InstanceSet holders = flattening.holders(decisivePath);
    if (!holders.isSingle()) {
      return new ZnodeRoute.Command(holders);
    }
    return request.type() == OpCode.setACL || request.type() == OpCode.deleteContainer
        ? new ZnodeRoute.Unguarded(holders.canonical())
        : new ZnodeRoute.Write(holders.canonical());
  }

  /**
   * Whether a write changes the list of servers. ZooKeeper allows it to its superuser only; here
   * the list belongs to one ensemble, and no client reads it.
   */
  private static boolean isServerList(int type, String path) {
    return path.equals(ZooDefs.CONFIG_NODE) && (type == OpCode.setData || type == OpCode.setACL);
  }

  private static ZnodeRoute multi(ZooKeeperRequest request, Flattening flattening) {
    List<Op> operations = operations(request.body());
    if (operations.stream()
        .anyMatch(
            operation ->
                ZooFencePaths.hidden(operation.getPath())
                    || isServerList(operation.getType(), operation.getPath()))) {
      return new ZnodeRoute.Refused(Code.NOAUTH);
    }
    var decisivePaths = new ArrayList<String>();
    for (Op operation : operations) {
      decisivePaths.add(decisivePath(operation));
    }
    InstanceSet queueSet = findQueueSet(decisivePaths, flattening);
    return queueSet.isSingle()
        ? new ZnodeRoute.Write(queueSet.canonical())
        : new ZnodeRoute.Command(queueSet);
  }

  /**
   * The path of an operation of a transaction; the holders of this path have to execute the
   * operation.
   */
  static String decisivePath(Op operation) {
    return switch (operation.getType()) {
      case OpCode.check, OpCode.setData -> operation.getPath();
      default -> ZnodePaths.parent(operation.getPath());
    };
  }

  /** The smallest set of instances with a queue that orders changes of all these paths. */
  static InstanceSet findQueueSet(List<String> paths, Flattening flattening) {
    InstanceSet first = paths.isEmpty() ? InstanceSet.of(0) : flattening.holders(paths.get(0));
    if (paths.stream().allMatch(path -> flattening.holders(path).equals(first))) {
      return first;
    }
    String commonParent = paths.get(0);
    for (String path : paths) {
      while (!ZnodePaths.under(path, commonParent)) {
        commonParent = ZnodePaths.parent(commonParent);
      }
    }
    return flattening.holders(commonParent);
  }

  private static ZnodeRoute multiRead(
      ZooKeeperRequest request, Flattening flattening, ReadPreference readPreference) {
    List<String> paths = paths(request);
    if (paths.stream().anyMatch(ZooFencePaths::hidden)) {
      return new ZnodeRoute.Refused(Code.NOAUTH);
    }
    List<Integer> instances =
        paths.stream()
            .map(path -> readPreference.select(flattening.holders(path)))
            .distinct()
            .toList();
    boolean isPlain = paths.stream().noneMatch(path -> canBeOwned(path, flattening));
    return instances.size() == 1 && isPlain
        ? new ZnodeRoute.Read(instances.get(0))
        : new ZnodeRoute.Gather();
  }

  /** Whether a znode may be one that is ephemeral by ZooFence's own records. */
  public static boolean canBeOwned(String path, Flattening flattening) {
    return !path.equals("/") && !flattening.holdersOfParent(path).isSingle();
  }

  /** The parents of the znodes that a request creates. */
  public static List<String> parentsOfCreated(ZooKeeperRequest request) {
    if (request.type() == OpCode.multi) {
      return operations(request.body()).stream()
          .filter(operation -> isCreate(operation.getType()))
          .map(operation -> ZnodePaths.parent(operation.getPath()))
          .toList();
    }
    return isCreate(request.type()) ? List.of(ZnodePaths.parent(request.path())) : List.of();
  }

  public static boolean isCreate(int type) {
    return switch (type) {
      case OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL -> true;
      default -> false;
    };
  }

  /** The paths that a request to one instance concerns. */
  public static List<String> paths(ZooKeeperRequest request) {
    return request.type() == OpCode.multi || request.type() == OpCode.multiRead
        ? operations(request.body()).stream().map(Op::getPath).toList()
        : List.of(request.path());
  }

  public static List<Op> operations(ByteBuffer body) {
    var operations = new ArrayList<Op>();
    Jute.read(body, new MultiOperationRecord()).forEach(operations::add);
    return operations;
  }
}
