package io.ensemble.zoofence.session;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.session.instance.InstanceClient;
import io.ensemble.zoofence.session.instance.MemberSessions;
import io.ensemble.zoofence.session.instance.OwnerLookup;
import io.ensemble.zoofence.session.instance.Watches;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RouteFinder;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.MultiResponse;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.GetAllChildrenNumberRequest;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetChildrenResponse;
import org.apache.zookeeper.proto.GetEphemeralsRequest;
import org.apache.zookeeper.proto.GetEphemeralsResponse;
import org.apache.zookeeper.proto.SetWatches;
import org.apache.zookeeper.proto.SetWatches2;

/** Requests that need the replies of several instances. They change nothing but watches. */
final class ScatterGather {
  private final MemberSessions memberSessions;
  private final Flattening flattening;
  private final ReadPreference readPreference;
  private final long requestTimeoutMillis;

  ScatterGather(
      MemberSessions memberSessions,
      Flattening flattening,
      ReadPreference readPreference,
      long requestTimeoutMillis) {
    this.memberSessions = memberSessions;
    this.flattening = flattening;
    this.readPreference = readPreference;
    this.requestTimeoutMillis = requestTimeoutMillis;
  }

  /** Executes a request; the reply has the form that clients see. */
  void run(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    switch (request.type()) {
      case OpCode.addWatch -> addWatch(request, callback);
      case OpCode.removeWatches, OpCode.checkWatches -> sendToHolders(request, callback);
      case OpCode.setWatches, OpCode.setWatches2 -> setWatches(request, callback);
      case OpCode.getEphemerals -> collectEphemerals(request, callback);
      case OpCode.getAllChildrenNumber -> countDescendants(request, callback);
      case OpCode.multiRead -> readMulti(request, callback);
      case OpCode.whoAmI -> memberSessions.readIdentities(callback);
      default -> callback.accept(ZooKeeperReply.failed(Code.UNIMPLEMENTED));
    }
  }

  private void send(int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    InstanceClient client = memberSessions.clientAt(instance);
    client
        .link()
        .send(
            () -> request,
            requestTimeoutMillis,
            reply -> {
              client.watches().recordReply(request, reply);
              callback.accept(reply);
            });
  }

  /**
   * Adds a watch. Any holder of the path may have znodes below it. Only these holders together
   * watch the whole subtree.
   */
  private void addWatch(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    var watchRequest = Jute.read(request.body(), new AddWatchRequest());
    InstanceSet holders = flattening.holders(watchRequest.getPath());
    boolean isRecursive = watchRequest.getMode() == AddWatchMode.PERSISTENT_RECURSIVE.getMode();
    List<Integer> instances =
        isRecursive ? holders.numbers() : List.of(readPreference.select(holders));
    sendToAll(instances, request, replies -> callback.accept(firstFailure(replies)));
  }

  private void sendToHolders(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    sendToAll(
        flattening.holders(request.path()).numbers(),
        request,
        replies ->
            callback.accept(
                replies.stream()
                    .filter(ZooKeeperReply::succeeded)
                    .findFirst()
                    .orElse(replies.get(0))));
  }

  private static ZooKeeperReply firstFailure(List<ZooKeeperReply> replies) {
    return replies.stream().filter(reply -> !reply.succeeded()).findFirst().orElse(replies.get(0));
  }

  /** The replies of several instances, in the instances' order. */
  private void sendToAll(
      List<Integer> instances, ZooKeeperRequest request, Consumer<List<ZooKeeperReply>> callback) {
    var replies = new TreeMap<Integer, ZooKeeperReply>();
    for (int instance : instances) {
      send(
          instance,
          request,
          reply -> {
            replies.put(instance, reply);
            if (replies.size() == instances.size()) {
              callback.accept(List.copyOf(replies.values()));
            }
          });
    }
  }

  /**
   * Sets the watches of a reconnected client. The client names all its watches and one transaction
   * since which it requires events. The transaction is not comparable with those of other
   * instances, so each instance reports all changes.
   */
  private void setWatches(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    SetWatches2 watches = readWatches(request);
    Map<Integer, SetWatches2> parts = Watches.divideByInstance(watches, this::findReader);
    for (String path : watches.getPersistentWatches()) {
      Watches.part(parts, findReader(path)).getPersistentWatches().add(path);
    }
    for (String path : watches.getPersistentRecursiveWatches()) {
      for (int instance : flattening.holders(path).numbers()) {
        Watches.part(parts, instance).getPersistentRecursiveWatches().add(path);
      }
    }
    if (parts.isEmpty()) {
      callback.accept(ZooKeeperReply.done());
      return;
    }
    var remaining = new TreeSet<>(parts.keySet());
    parts.forEach(
        (instance, part) -> {
          InstanceClient client = memberSessions.clientAt(instance);
          client.watches().set(part);
          // The client's last transaction at this instance is unknown: a spurious event is better
          // than a lost one.
          part.setRelativeZxid(0);
          List<ZooKeeperRequest> requests = Watches.requests(part);
          for (int i = 0; i < requests.size(); i++) {
            boolean isLast = i == requests.size() - 1;
            ZooKeeperRequest batch = requests.get(i);
            client
                .link()
                .send(
                    () -> batch,
                    requestTimeoutMillis,
                    reply -> {
                      if (isLast && remaining.remove(instance) && remaining.isEmpty()) {
                        callback.accept(ZooKeeperReply.done());
                      }
                    });
          }
        });
  }

  private static SetWatches2 readWatches(ZooKeeperRequest request) {
    if (request.type() == OpCode.setWatches2) {
      return Jute.read(request.body(), new SetWatches2());
    }
    var oldRequest = Jute.read(request.body(), new SetWatches());
    return new SetWatches2(
        oldRequest.getRelativeZxid(),
        oldRequest.getDataWatches(),
        oldRequest.getExistWatches(),
        oldRequest.getChildWatches(),
        List.of(),
        List.of());
  }

  private int findReader(String path) {
    return readPreference.select(flattening.holders(path));
  }

  /**
   * The ephemeral znodes of the session: those of each instance, and those that several instances
   * hold together.
   */
  private void collectEphemerals(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    String prefix = Jute.read(request.body(), new GetEphemeralsRequest()).getPrefixPath();
    String records =
        ZnodePaths.child(ZooFencePaths.EPHEMERALS, ZooFencePaths.hex(memberSessions.session()));
    memberSessions
        .admin()
        .send(
            () -> ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(records, false)),
            requestTimeoutMillis,
            reply -> {
              if (!reply.succeeded()) {
                callback.accept(reply);
                return;
              }
              var paths = new TreeSet<String>();
              Jute.read(reply.body(), new GetChildrenResponse()).getChildren().stream()
                  .map(ZooFencePaths::recorded)
                  .filter(path -> path.startsWith(prefix))
                  .forEach(paths::add);
              collectEphemerals(request, paths, callback);
            });
  }

  private void collectEphemerals(
      ZooKeeperRequest request, TreeSet<String> paths, Consumer<ZooKeeperReply> callback) {
    List<Integer> instances =
        memberSessions.instances().stream().map(client -> client.link().number()).toList();
    if (instances.isEmpty()) {
      callback.accept(ZooKeeperReply.done(new GetEphemeralsResponse(List.copyOf(paths))));
      return;
    }
    sendToAll(
        instances,
        request,
        replies -> {
          ZooKeeperReply failure = firstFailure(replies);
          if (!failure.succeeded()) {
            callback.accept(failure);
            return;
          }
          for (ZooKeeperReply reply : replies) {
            Jute.read(reply.body(), new GetEphemeralsResponse()).getEphemerals().stream()
                .filter(path -> !ZooFencePaths.hidden(path))
                .forEach(paths::add);
          }
          callback.accept(ZooKeeperReply.done(new GetEphemeralsResponse(List.copyOf(paths))));
        });
  }

  private void countDescendants(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    String path = Jute.read(request.body(), new GetAllChildrenNumberRequest()).getPath();
    new DescendantCounter(flattening, readPreference, this::send, callback).countBelow(path);
  }

  private void readMulti(ZooKeeperRequest request, Consumer<ZooKeeperReply> callback) {
    List<Op> operations = RouteFinder.operations(request.body());
    var parts = new TreeMap<Integer, List<Integer>>();
    for (int i = 0; i < operations.size(); i++) {
      int instance = readPreference.select(flattening.holders(operations.get(i).getPath()));
      parts.computeIfAbsent(instance, made -> new ArrayList<>()).add(i);
    }
    if (operations.isEmpty()) {
      callback.accept(ZooKeeperReply.done(new MultiResponse()));
      return;
    }
    var results = new TreeMap<Integer, OpResult>();
    parts.forEach(
        (instance, positions) -> {
          var part = new MultiOperationRecord(positions.stream().map(operations::get).toList());
          var owners = new TreeMap<Integer, OwnerLookup>();
          for (int position : positions) {
            String path = operations.get(position).getPath();
            if (RouteFinder.canBeOwned(path, flattening)) {
              var owner = new OwnerLookup();
              owners.put(position, owner);
              send(instance, OwnerLookup.createRequest(path), owner::recordReply);
            }
          }
          send(
              instance,
              ZooKeeperRequest.of(OpCode.multiRead, part),
              reply -> {
                if (!reply.succeeded()) {
                  callback.accept(reply);
                  return;
                }
                ZooKeeperReply translated =
                    ReplyTranslator.translateReply(request, reply, instance, owner -> owner);
                var body = Jute.read(translated.body(), new MultiResponse()).getResultList();
                for (int i = 0; i < positions.size(); i++) {
                  OwnerLookup owner = owners.get(positions.get(i));
                  if (owner != null && body.get(i) instanceof OpResult.GetDataResult data) {
                    owner.insertOwner(data.getStat(), instance);
                  }
                  results.put(positions.get(i), body.get(i));
                }
                if (results.size() == operations.size()) {
                  var response = new MultiResponse();
                  results.values().forEach(response::add);
                  callback.accept(ZooKeeperReply.done(response));
                }
              });
        });
  }
}
