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
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Finds the route of each request from the flattening and from the paths that the request changes.
 */
public final class RouteFinder {
  private RouteFinder() {}

  public static ZnodeRoute of(
      ZooKeeperRequest request, Flattening flattening, ReadPreference readPreference) {
    Code mistake = WriteValidator.mistake(request);
    if (mistake != null) {
      return new ZnodeRoute.Refused(mistake);
    }
    ZnodeRoute way = way(request, flattening, readPreference);
    boolean tooLarge = way instanceof ZnodeRoute.Write && !WriteValidator.fitsGuarded(request);
    return tooLarge ? new ZnodeRoute.Refused(Code.MARSHALLINGERROR) : way;
  }

  private static ZnodeRoute way(
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
      // Reconfig changes the servers of one ensemble, and here are several.
      case OpCode.reconfig, OpCode.sasl -> new ZnodeRoute.Refused(Code.UNIMPLEMENTED);
      default -> new ZnodeRoute.Unknown();
    };
  }

  private static ZnodeRoute read(
      String path, Flattening flattening, ReadPreference readPreference) {
    return ZooFencePaths.hidden(path)
        ? new ZnodeRoute.Refused(Code.NOAUTH)
        : new ZnodeRoute.Read(readPreference.at(flattening.holders(path)));
  }

  /**
   * The route of a {@code sync}. With relaxed reads, a server that catches up with its own instance
   * is not enough.
   */
  private static ZnodeRoute sync(
      String path, Flattening flattening, ReadPreference readPreference) {
    InstanceSet holders = flattening.holders(path);
    return readPreference.areRelaxed() && !holders.isSingle() && !ZooFencePaths.hidden(path)
        ? new ZnodeRoute.Sync(holders)
        : read(path, flattening, readPreference);
  }

  /** The route of a write that all holders of {@code decisive} have to execute. */
  private static ZnodeRoute write(
      ZooKeeperRequest request, String decisive, Flattening flattening) {
    if (ZooFencePaths.hidden(request.path())) {
      return new ZnodeRoute.Refused(Code.NOAUTH);
    }
    InstanceSet holders = flattening.holders(decisive);
    if (!holders.isSingle()) {
      return new ZnodeRoute.Command(holders);
    }
    return request.type() == OpCode.setACL || request.type() == OpCode.deleteContainer
        ? new ZnodeRoute.Unguarded(holders.canonical())
        : new ZnodeRoute.Write(holders.canonical());
  }

  private static ZnodeRoute multi(ZooKeeperRequest request, Flattening flattening) {
    List<Op> operations = operations(request.body());
    if (operations.stream().anyMatch(operation -> ZooFencePaths.hidden(operation.getPath()))) {
      return new ZnodeRoute.Refused(Code.NOAUTH);
    }
    var decisive = new ArrayList<String>();
    for (Op operation : operations) {
      decisive.add(decisive(operation));
    }
    InstanceSet covering = covering(decisive, flattening);
    return covering.isSingle()
        ? new ZnodeRoute.Write(covering.canonical())
        : new ZnodeRoute.Command(covering);
  }

  /**
   * The path of an operation of a transaction; the holders of this path have to execute the
   * operation.
   */
  static String decisive(Op operation) {
    return switch (operation.getType()) {
      case OpCode.check, OpCode.setData -> operation.getPath();
      default -> ZnodePaths.parent(operation.getPath());
    };
  }

  /** The smallest set of instances with a queue that orders changes of all these paths. */
  static InstanceSet covering(List<String> paths, Flattening flattening) {
    InstanceSet first = paths.isEmpty() ? InstanceSet.of(0) : flattening.holders(paths.get(0));
    if (paths.stream().allMatch(path -> flattening.holders(path).equals(first))) {
      return first;
    }
    String common = paths.get(0);
    for (String path : paths) {
      while (!ZnodePaths.under(path, common)) {
        common = ZnodePaths.parent(common);
      }
    }
    return flattening.holders(common);
  }

  private static ZnodeRoute multiRead(
      ZooKeeperRequest request, Flattening flattening, ReadPreference readPreference) {
    List<String> paths = paths(request);
    if (paths.stream().anyMatch(ZooFencePaths::hidden)) {
      return new ZnodeRoute.Refused(Code.NOAUTH);
    }
    List<Integer> instances =
        paths.stream().map(path -> readPreference.at(flattening.holders(path))).distinct().toList();
    boolean plain = paths.stream().noneMatch(path -> mayBeOwned(path, flattening));
    return instances.size() == 1 && plain
        ? new ZnodeRoute.Read(instances.get(0))
        : new ZnodeRoute.Gather();
  }

  /** Whether a znode may be one that is ephemeral by ZooFence's own records. */
  public static boolean mayBeOwned(String path, Flattening flattening) {
    return !path.equals("/") && !flattening.holdersOfParent(path).isSingle();
  }

  /** The parents of the znodes that a request creates. */
  public static List<String> parentsOfCreated(ZooKeeperRequest request) {
    if (request.type() == OpCode.multi) {
      return operations(request.body()).stream()
          .filter(one -> isCreate(one.getType()))
          .map(one -> ZnodePaths.parent(one.getPath()))
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
