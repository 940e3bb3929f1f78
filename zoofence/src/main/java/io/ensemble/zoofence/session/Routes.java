package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;

/** Finds the way of each request, by the flattening and by what the request changes. */
final class Routes {
  private Routes() {}

  static Route of(Request request, Flattening flattening, Reads reads) {
    Code mistake = Writes.mistake(request);
    if (mistake != null) {
      return new Route.Refused(mistake);
    }
    Route way = way(request, flattening, reads);
    boolean tooLarge = way instanceof Route.Write && !Writes.fitsGuarded(request);
    return tooLarge ? new Route.Refused(Code.MARSHALLINGERROR) : way;
  }

  private static Route way(Request request, Flattening flattening, Reads reads) {
    return switch (request.type()) {
      case OpCode.exists, OpCode.getData, OpCode.getACL, OpCode.getChildren, OpCode.getChildren2 ->
          read(request.path(), flattening, reads);
      case OpCode.sync -> sync(request.path(), flattening, reads);
      case OpCode.setData, OpCode.setACL -> write(request, request.path(), flattening);
      case OpCode.create,
          OpCode.create2,
          OpCode.createContainer,
          OpCode.createTTL,
          OpCode.delete,
          OpCode.deleteContainer ->
          write(request, Paths.parent(request.path()), flattening);
      case OpCode.multi -> multi(request, flattening);
      case OpCode.multiRead -> multiRead(request, flattening, reads);
      case OpCode.addWatch, OpCode.removeWatches, OpCode.checkWatches ->
          Names.hidden(request.path()) ? new Route.Refused(Code.NOAUTH) : new Route.Gather();
      case OpCode.getEphemerals,
          OpCode.getAllChildrenNumber,
          OpCode.whoAmI,
          OpCode.setWatches,
          OpCode.setWatches2,
          OpCode.closeSession ->
          new Route.Gather();
      // There is no one ensemble whose servers reconfig could change.
      case OpCode.reconfig, OpCode.sasl -> new Route.Refused(Code.UNIMPLEMENTED);
      default -> new Route.Unknown();
    };
  }

  private static Route read(String path, Flattening flattening, Reads reads) {
    return Names.hidden(path)
        ? new Route.Refused(Code.NOAUTH)
        : new Route.Read(reads.at(flattening.holders(path)));
  }

  /** Where reads are relaxed, a server that catches up with its instance alone is not enough. */
  private static Route sync(String path, Flattening flattening, Reads reads) {
    InstanceSet holders = flattening.holders(path);
    return reads.areRelaxed() && !holders.isSingle() && !Names.hidden(path)
        ? new Route.Sync(holders)
        : read(path, flattening, reads);
  }

  /** A write that all holders of {@code decisive} have to take. */
  private static Route write(Request request, String decisive, Flattening flattening) {
    if (Names.hidden(request.path())) {
      return new Route.Refused(Code.NOAUTH);
    }
    InstanceSet holders = flattening.holders(decisive);
    if (!holders.isSingle()) {
      return new Route.Command(holders);
    }
    return request.type() == OpCode.setACL || request.type() == OpCode.deleteContainer
        ? new Route.Unguarded(holders.canonical())
        : new Route.Write(holders.canonical());
  }

  private static Route multi(Request request, Flattening flattening) {
    List<Op> operations = operations(request.body());
    if (operations.stream().anyMatch(operation -> Names.hidden(operation.getPath()))) {
      return new Route.Refused(Code.NOAUTH);
    }
    var decisive = new ArrayList<String>();
    for (Op operation : operations) {
      decisive.add(decisive(operation));
    }
    InstanceSet covering = covering(decisive, flattening);
    return covering.isSingle()
        ? new Route.Write(covering.canonical())
        : new Route.Command(covering);
  }

  /** The path whose holders have to take an operation of a transaction. */
  static String decisive(Op operation) {
    return switch (operation.getType()) {
      case OpCode.check, OpCode.setData -> operation.getPath();
      default -> Paths.parent(operation.getPath());
    };
  }

  /** The fewest instances whose queue orders changes of all these paths. */
  static InstanceSet covering(List<String> paths, Flattening flattening) {
    InstanceSet first = paths.isEmpty() ? InstanceSet.of(0) : flattening.holders(paths.get(0));
    if (paths.stream().allMatch(path -> flattening.holders(path).equals(first))) {
      return first;
    }
    String common = paths.get(0);
    for (String path : paths) {
      while (!Paths.under(path, common)) {
        common = Paths.parent(common);
      }
    }
    return flattening.holders(common);
  }

  private static Route multiRead(Request request, Flattening flattening, Reads reads) {
    List<String> paths = paths(request);
    if (paths.stream().anyMatch(Names::hidden)) {
      return new Route.Refused(Code.NOAUTH);
    }
    List<Integer> instances =
        paths.stream().map(path -> reads.at(flattening.holders(path))).distinct().toList();
    boolean plain = paths.stream().noneMatch(path -> mayBeOwned(path, flattening));
    return instances.size() == 1 && plain ? new Route.Read(instances.get(0)) : new Route.Gather();
  }

  /** Whether a znode, if it is ephemeral, is so by our own records. */
  static boolean mayBeOwned(String path, Flattening flattening) {
    return !path.equals("/") && !flattening.holdersOfParent(path).isSingle();
  }

  /** The parents of what a request creates. */
  static List<String> parentsOfCreated(Request request) {
    if (request.type() == OpCode.multi) {
      return operations(request.body()).stream()
          .filter(one -> isCreate(one.getType()))
          .map(one -> Paths.parent(one.getPath()))
          .toList();
    }
    return isCreate(request.type()) ? List.of(Paths.parent(request.path())) : List.of();
  }

  static boolean isCreate(int type) {
    return switch (type) {
      case OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL -> true;
      default -> false;
    };
  }

  /** The paths that a request to one instance is about. */
  static List<String> paths(Request request) {
    return request.type() == OpCode.multi || request.type() == OpCode.multiRead
        ? operations(request.body()).stream().map(Op::getPath).toList()
        : List.of(request.path());
  }

  static List<Op> operations(ByteBuffer body) {
    var operations = new ArrayList<Op>();
    Jute.read(body, new MultiOperationRecord()).forEach(operations::add);
    return operations;
  }
}
