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
  private final long patienceMillis;

  ScatterGather(
      MemberSessions memberSessions,
      Flattening flattening,
      ReadPreference readPreference,
      long patienceMillis) {
    this.memberSessions = memberSessions;
    this.flattening = flattening;
    this.readPreference = readPreference;
    this.patienceMillis = patienceMillis;
  }

  /** Executes a request; the reply has the form that clients see. */
  void run(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    switch (request.type()) {
      case OpCode.addWatch -> addWatch(request, then);
      case OpCode.removeWatches, OpCode.checkWatches -> everywhere(request, then);
      case OpCode.setWatches, OpCode.setWatches2 -> setWatches(request, then);
      case OpCode.getEphemerals -> ephemerals(request, then);
      case OpCode.getAllChildrenNumber -> count(request, then);
      case OpCode.multiRead -> multiRead(request, then);
      case OpCode.whoAmI -> memberSessions.admin().send(() -> request, patienceMillis, then);
      default -> then.accept(ZooKeeperReply.failed(Code.UNIMPLEMENTED));
    }
  }

  private void send(int instance, ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    InstanceClient at = memberSessions.at(instance);
    at.link()
        .send(
            () -> request,
            patienceMillis,
            reply -> {
              at.watches().note(request, reply);
              then.accept(reply);
            });
  }

  /**
   * Adds a watch. Any holder of the path may have znodes below it. Only these holders together
   * watch the whole subtree.
   */
  private void addWatch(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    var wanted = Jute.read(request.body(), new AddWatchRequest());
    InstanceSet holders = flattening.holders(wanted.getPath());
    boolean whole = wanted.getMode() == AddWatchMode.PERSISTENT_RECURSIVE.getMode();
    List<Integer> instances = whole ? holders.numbers() : List.of(readPreference.at(holders));
    all(instances, request, replies -> then.accept(firstFailure(replies)));
  }

  private void everywhere(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    all(
        flattening.holders(request.path()).numbers(),
        request,
        replies ->
            then.accept(
                replies.stream()
                    .filter(ZooKeeperReply::succeeded)
                    .findFirst()
                    .orElse(replies.get(0))));
  }

  private static ZooKeeperReply firstFailure(List<ZooKeeperReply> replies) {
    return replies.stream().filter(reply -> !reply.succeeded()).findFirst().orElse(replies.get(0));
  }

  /** The replies of several instances, in the instances' order. */
  private void all(
      List<Integer> instances, ZooKeeperRequest request, Consumer<List<ZooKeeperReply>> then) {
    var replies = new TreeMap<Integer, ZooKeeperReply>();
    for (int instance : instances) {
      send(
          instance,
          request,
          reply -> {
            replies.put(instance, reply);
            if (replies.size() == instances.size()) {
              then.accept(List.copyOf(replies.values()));
            }
          });
    }
  }

  /**
   * Sets the watches of a reconnected client. The client names all its watches and one transaction
   * since which it requires events. The transaction is not comparable with those of other
   * instances, so each instance reports all changes.
   */
  private void setWatches(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    SetWatches2 all = asked(request);
    Map<Integer, SetWatches2> parts = Watches.divided(all, this::reader);
    for (String path : all.getPersistentWatches()) {
      Watches.part(parts, reader(path)).getPersistentWatches().add(path);
    }
    for (String path : all.getPersistentRecursiveWatches()) {
      for (int instance : flattening.holders(path).numbers()) {
        Watches.part(parts, instance).getPersistentRecursiveWatches().add(path);
      }
    }
    if (parts.isEmpty()) {
      then.accept(ZooKeeperReply.done());
      return;
    }
    var left = new TreeSet<>(parts.keySet());
    parts.forEach(
        (instance, part) -> {
          InstanceClient at = memberSessions.at(instance);
          at.watches().set(part);
          // The client's last transaction at this instance is unknown: a spurious event is better
          // than a lost one.
          part.setRelativeZxid(0);
          List<ZooKeeperRequest> requests = Watches.requests(part);
          for (int i = 0; i < requests.size(); i++) {
            boolean last = i == requests.size() - 1;
            ZooKeeperRequest next = requests.get(i);
            at.link()
                .send(
                    () -> next,
                    patienceMillis,
                    reply -> {
                      if (last && left.remove(instance) && left.isEmpty()) {
                        then.accept(ZooKeeperReply.done());
                      }
                    });
          }
        });
  }

  private static SetWatches2 asked(ZooKeeperRequest request) {
    if (request.type() == OpCode.setWatches2) {
      return Jute.read(request.body(), new SetWatches2());
    }
    var plain = Jute.read(request.body(), new SetWatches());
    return new SetWatches2(
        plain.getRelativeZxid(),
        plain.getDataWatches(),
        plain.getExistWatches(),
        plain.getChildWatches(),
        List.of(),
        List.of());
  }

  private int reader(String path) {
    return readPreference.at(flattening.holders(path));
  }

  /**
   * The ephemeral znodes of the session: those of each instance, and those that several instances
   * hold together.
   */
  private void ephemerals(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    String prefix = Jute.read(request.body(), new GetEphemeralsRequest()).getPrefixPath();
    String records =
        ZnodePaths.child(ZooFencePaths.EPHEMERALS, ZooFencePaths.hex(memberSessions.session()));
    memberSessions
        .admin()
        .send(
            () -> ZooKeeperRequest.of(OpCode.getChildren, new GetChildrenRequest(records, false)),
            patienceMillis,
            reply -> {
              if (!reply.succeeded()) {
                then.accept(reply);
                return;
              }
              var found = new TreeSet<String>();
              Jute.read(reply.body(), new GetChildrenResponse()).getChildren().stream()
                  .map(ZooFencePaths::recorded)
                  .filter(path -> path.startsWith(prefix))
                  .forEach(found::add);
              ephemerals(request, found, then);
            });
  }

  private void ephemerals(
      ZooKeeperRequest request, TreeSet<String> found, Consumer<ZooKeeperReply> then) {
    List<Integer> used = memberSessions.instances().stream().map(at -> at.link().number()).toList();
    if (used.isEmpty()) {
      then.accept(ZooKeeperReply.done(new GetEphemeralsResponse(List.copyOf(found))));
      return;
    }
    all(
        used,
        request,
        replies -> {
          ZooKeeperReply failure = firstFailure(replies);
          if (!failure.succeeded()) {
            then.accept(failure);
            return;
          }
          for (ZooKeeperReply reply : replies) {
            Jute.read(reply.body(), new GetEphemeralsResponse()).getEphemerals().stream()
                .filter(path -> !ZooFencePaths.hidden(path))
                .forEach(found::add);
          }
          then.accept(ZooKeeperReply.done(new GetEphemeralsResponse(List.copyOf(found))));
        });
  }

  private void count(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    String path = Jute.read(request.body(), new GetAllChildrenNumberRequest()).getPath();
    new DescendantCounter(flattening, readPreference, this::send, then).below(path);
  }

  private void multiRead(ZooKeeperRequest request, Consumer<ZooKeeperReply> then) {
    List<Op> operations = RouteFinder.operations(request.body());
    var parts = new TreeMap<Integer, List<Integer>>();
    for (int i = 0; i < operations.size(); i++) {
      int instance = readPreference.at(flattening.holders(operations.get(i).getPath()));
      parts.computeIfAbsent(instance, made -> new ArrayList<>()).add(i);
    }
    if (operations.isEmpty()) {
      then.accept(ZooKeeperReply.done(new MultiResponse()));
      return;
    }
    var results = new TreeMap<Integer, OpResult>();
    parts.forEach(
        (instance, places) -> {
          var own = new MultiOperationRecord(places.stream().map(operations::get).toList());
          var owners = new TreeMap<Integer, OwnerLookup>();
          for (int place : places) {
            String path = operations.get(place).getPath();
            if (RouteFinder.mayBeOwned(path, flattening)) {
              var owner = new OwnerLookup();
              owners.put(place, owner);
              send(instance, OwnerLookup.question(path), owner::heard);
            }
          }
          send(
              instance,
              ZooKeeperRequest.of(OpCode.multiRead, own),
              reply -> {
                if (!reply.succeeded()) {
                  then.accept(reply);
                  return;
                }
                ZooKeeperReply seen =
                    ReplyTranslator.translated(request, reply, instance, owner -> owner);
                var body = Jute.read(seen.body(), new MultiResponse()).getResultList();
                for (int i = 0; i < places.size(); i++) {
                  OwnerLookup owner = owners.get(places.get(i));
                  if (owner != null && body.get(i) instanceof OpResult.GetDataResult data) {
                    owner.name(data.getStat(), instance);
                  }
                  results.put(places.get(i), body.get(i));
                }
                if (results.size() == operations.size()) {
                  var all = new MultiResponse();
                  results.values().forEach(all::add);
                  then.accept(ZooKeeperReply.done(all));
                }
              });
        });
  }
}
