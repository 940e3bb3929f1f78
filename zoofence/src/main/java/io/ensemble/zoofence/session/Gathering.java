package io.ensemble.zoofence.session;

import io.ensemble.zoofence.Names;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.Paths;
import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.Reply;
import io.ensemble.zoofence.wire.Request;
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

/** Requests whose reply takes several instances, none of which changes anything but watches. */
final class Gathering {
  private final Members members;
  private final Flattening flattening;
  private final Reads reads;
  private final long patienceMillis;

  Gathering(Members members, Flattening flattening, Reads reads, long patienceMillis) {
    this.members = members;
    this.flattening = flattening;
    this.reads = reads;
    this.patienceMillis = patienceMillis;
  }

  /** Carries a request out; the reply is as clients get it. */
  void run(Request request, Consumer<Reply> then) {
    switch (request.type()) {
      case OpCode.addWatch -> addWatch(request, then);
      case OpCode.removeWatches, OpCode.checkWatches -> everywhere(request, then);
      case OpCode.setWatches, OpCode.setWatches2 -> setWatches(request, then);
      case OpCode.getEphemerals -> ephemerals(request, then);
      case OpCode.getAllChildrenNumber -> count(request, then);
      case OpCode.multiRead -> multiRead(request, then);
      case OpCode.whoAmI -> members.admin().send(() -> request, patienceMillis, then);
      default -> then.accept(Reply.failed(Code.UNIMPLEMENTED));
    }
  }

  private void send(int instance, Request request, Consumer<Reply> then) {
    Instance at = members.at(instance);
    at.link()
        .send(
            () -> request,
            patienceMillis,
            reply -> {
              at.watches().note(request, reply);
              then.accept(reply);
            });
  }

  /** What lies below a path may be anywhere among its holders; only there it is watched whole. */
  private void addWatch(Request request, Consumer<Reply> then) {
    var wanted = Jute.read(request.body(), new AddWatchRequest());
    InstanceSet holders = flattening.holders(wanted.getPath());
    boolean whole = wanted.getMode() == AddWatchMode.PERSISTENT_RECURSIVE.getMode();
    List<Integer> instances = whole ? holders.numbers() : List.of(reads.at(holders));
    all(instances, request, replies -> then.accept(firstFailure(replies)));
  }

  private void everywhere(Request request, Consumer<Reply> then) {
    all(
        flattening.holders(request.path()).numbers(),
        request,
        replies ->
            then.accept(
                replies.stream().filter(Reply::succeeded).findFirst().orElse(replies.get(0))));
  }

  private static Reply firstFailure(List<Reply> replies) {
    return replies.stream().filter(reply -> !reply.succeeded()).findFirst().orElse(replies.get(0));
  }

  /** The replies of several instances, in the instances' order. */
  private void all(List<Integer> instances, Request request, Consumer<List<Reply>> then) {
    var replies = new TreeMap<Integer, Reply>();
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
   * A client that has come back names all that it watched, and one transaction since which it wants
   * to hear. That says nothing of the others' transactions, so each instance tells of all that is
   * there.
   */
  private void setWatches(Request request, Consumer<Reply> then) {
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
      then.accept(Reply.done());
      return;
    }
    var left = new TreeSet<>(parts.keySet());
    parts.forEach(
        (instance, part) -> {
          Instance at = members.at(instance);
          at.watches().set(part);
          // What this client has seen of the instance nobody knows: better a watch too many fires.
          part.setRelativeZxid(0);
          List<Request> requests = Watches.requests(part);
          for (int i = 0; i < requests.size(); i++) {
            boolean last = i == requests.size() - 1;
            Request next = requests.get(i);
            at.link()
                .send(
                    () -> next,
                    patienceMillis,
                    reply -> {
                      if (last && left.remove(instance) && left.isEmpty()) {
                        then.accept(Reply.done());
                      }
                    });
          }
        });
  }

  private static SetWatches2 asked(Request request) {
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
    return reads.at(flattening.holders(path));
  }

  /** Those that each instance knows of this session, and those that several hold together. */
  private void ephemerals(Request request, Consumer<Reply> then) {
    String prefix = Jute.read(request.body(), new GetEphemeralsRequest()).getPrefixPath();
    String records = Paths.child(Names.EPHEMERALS, Names.hex(members.session()));
    members
        .admin()
        .send(
            () -> Request.of(OpCode.getChildren, new GetChildrenRequest(records, false)),
            patienceMillis,
            reply -> {
              if (!reply.succeeded()) {
                then.accept(reply);
                return;
              }
              var found = new TreeSet<String>();
              Jute.read(reply.body(), new GetChildrenResponse()).getChildren().stream()
                  .map(Names::recorded)
                  .filter(path -> path.startsWith(prefix))
                  .forEach(found::add);
              ephemerals(request, found, then);
            });
  }

  private void ephemerals(Request request, TreeSet<String> found, Consumer<Reply> then) {
    List<Integer> used = members.instances().stream().map(at -> at.link().number()).toList();
    if (used.isEmpty()) {
      then.accept(Reply.done(new GetEphemeralsResponse(List.copyOf(found))));
      return;
    }
    all(
        used,
        request,
        replies -> {
          Reply failure = firstFailure(replies);
          if (!failure.succeeded()) {
            then.accept(failure);
            return;
          }
          for (Reply reply : replies) {
            Jute.read(reply.body(), new GetEphemeralsResponse()).getEphemerals().stream()
                .filter(path -> !Names.hidden(path))
                .forEach(found::add);
          }
          then.accept(Reply.done(new GetEphemeralsResponse(List.copyOf(found))));
        });
  }

  private void count(Request request, Consumer<Reply> then) {
    String path = Jute.read(request.body(), new GetAllChildrenNumberRequest()).getPath();
    new Walk(flattening, reads, this::send, then).below(path);
  }

  private void multiRead(Request request, Consumer<Reply> then) {
    List<Op> operations = Routes.operations(request.body());
    var parts = new TreeMap<Integer, List<Integer>>();
    for (int i = 0; i < operations.size(); i++) {
      int instance = reads.at(flattening.holders(operations.get(i).getPath()));
      parts.computeIfAbsent(instance, made -> new ArrayList<>()).add(i);
    }
    if (operations.isEmpty()) {
      then.accept(Reply.done(new MultiResponse()));
      return;
    }
    var results = new TreeMap<Integer, OpResult>();
    parts.forEach(
        (instance, places) -> {
          var own = new MultiOperationRecord(places.stream().map(operations::get).toList());
          var owners = new TreeMap<Integer, Owner>();
          for (int place : places) {
            String path = operations.get(place).getPath();
            if (Routes.mayBeOwned(path, flattening)) {
              var owner = new Owner();
              owners.put(place, owner);
              send(instance, Owner.question(path), owner::heard);
            }
          }
          send(
              instance,
              Request.of(OpCode.multiRead, own),
              reply -> {
                if (!reply.succeeded()) {
                  then.accept(reply);
                  return;
                }
                Reply seen = Replies.translated(request, reply, instance, owner -> owner);
                var body = Jute.read(seen.body(), new MultiResponse()).getResultList();
                for (int i = 0; i < places.size(); i++) {
                  Owner owner = owners.get(places.get(i));
                  if (owner != null && body.get(i) instanceof OpResult.GetDataResult data) {
                    owner.name(data.getStat(), instance);
                  }
                  results.put(places.get(i), body.get(i));
                }
                if (results.size() == operations.size()) {
                  var all = new MultiResponse();
                  results.values().forEach(all::add);
                  then.accept(Reply.done(all));
                }
              });
        });
  }
}
