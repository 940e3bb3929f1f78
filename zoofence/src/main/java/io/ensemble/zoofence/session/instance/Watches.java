package io.ensemble.zoofence.session.instance;

import io.ensemble.zoofence.wire.Jute;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.SetWatches2;
import org.apache.zookeeper.proto.WatcherEvent;

/**
 * The watches of a session at one instance, kept so that they can be set again on a new connection.
 */
public final class Watches {
  private final Set<String> data = new HashSet<>();
  private final Set<String> absent = new HashSet<>();
  private final Set<String> children = new HashSet<>();
  private final Set<String> persistent = new HashSet<>();
  private final Set<String> recursive = new HashSet<>();

  public boolean isEmpty() {
    return data.isEmpty()
        && absent.isEmpty()
        && children.isEmpty()
        && persistent.isEmpty()
        && recursive.isEmpty();
  }

  /** Records the watches that a request has set or removed, by its reply. */
  public void recordReply(ZooKeeperRequest request, ZooKeeperReply reply) {
    switch (request.type()) {
      case OpCode.getData -> addIfSet(request, reply.succeeded(), data);
      case OpCode.exists -> {
        addIfSet(request, reply.succeeded(), data);
        addIfSet(request, reply.failedWith(Code.NONODE), absent);
      }
      case OpCode.getChildren, OpCode.getChildren2 ->
          addIfSet(request, reply.succeeded(), children);
      case OpCode.addWatch -> {
        if (reply.succeeded()) {
          var added = Jute.read(request.body(), new AddWatchRequest());
          (added.getMode() == AddWatchMode.PERSISTENT.getMode() ? persistent : recursive)
              .add(added.getPath());
        }
      }
      case OpCode.removeWatches -> {
        if (reply.succeeded()) {
          var removed = Jute.read(request.body(), new RemoveWatchesRequest());
          remove(removed.getPath(), removed.getType());
        }
      }
      default -> {}
    }
  }

  private static void addIfSet(ZooKeeperRequest request, boolean isSet, Set<String> paths) {
    int last = request.body().limit() - 1;
    if (isSet && last >= 0 && request.body().get(last) != 0) {
      paths.add(request.path());
    }
  }

  private void remove(String path, int type) {
    if (type == WatcherType.Children.getIntValue() || type == WatcherType.Any.getIntValue()) {
      children.remove(path);
    }
    if (type == WatcherType.Data.getIntValue() || type == WatcherType.Any.getIntValue()) {
      data.remove(path);
      absent.remove(path);
    }
    if (type == WatcherType.Any.getIntValue() || type == WatcherType.Persistent.getIntValue()) {
      persistent.remove(path);
    }
    if (type == WatcherType.Any.getIntValue()
        || type == WatcherType.PersistentRecursive.getIntValue()) {
      recursive.remove(path);
    }
  }

  /** Records that watches fired: those that are not persistent are gone. */
  public void removeFired(WatcherEvent event) {
    String path = event.getPath();
    if (event.getType() == EventType.NodeChildrenChanged.getIntValue()) {
      children.remove(path);
      return;
    }
    data.remove(path);
    absent.remove(path);
    if (event.getType() == EventType.NodeDeleted.getIntValue()) {
      children.remove(path);
    }
  }

  /** Whether a persistent watch concerns an instance that its path has left or has moved to. */
  public boolean hasPersistent(Predicate<String> isMoved) {
    return persistent.stream().anyMatch(isMoved) || recursive.stream().anyMatch(isMoved);
  }

  /** Removes and returns the one-shot watches on paths that have moved. */
  public SetWatches2 removeMoved(Predicate<String> isMoved) {
    return new SetWatches2(
        0,
        removeMatching(data, isMoved),
        removeMatching(absent, isMoved),
        removeMatching(children, isMoved),
        List.of(),
        List.of());
  }

  /** Divides one-shot watches by the instance that each path belongs to. */
  public static Map<Integer, SetWatches2> divideByInstance(
      SetWatches2 watches, ToIntFunction<String> instance) {
    var parts = new TreeMap<Integer, SetWatches2>();
    watches
        .getDataWatches()
        .forEach(path -> part(parts, instance.applyAsInt(path)).getDataWatches().add(path));
    watches
        .getExistWatches()
        .forEach(path -> part(parts, instance.applyAsInt(path)).getExistWatches().add(path));
    watches
        .getChildWatches()
        .forEach(path -> part(parts, instance.applyAsInt(path)).getChildWatches().add(path));
    return parts;
  }

  /** The part of an instance, created at the first use. */
  public static SetWatches2 part(Map<Integer, SetWatches2> parts, int instance) {
    return parts.computeIfAbsent(
        instance,
        key ->
            new SetWatches2(
                0,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>()));
  }

  private static List<String> removeMatching(Set<String> from, Predicate<String> isMoved) {
    List<String> matching = from.stream().filter(isMoved).toList();
    matching.forEach(from::remove);
    return matching;
  }

  /** Records watches that a client sets again. */
  public void set(SetWatches2 watches) {
    data.addAll(watches.getDataWatches());
    absent.addAll(watches.getExistWatches());
    children.addAll(watches.getChildWatches());
    persistent.addAll(watches.getPersistentWatches());
    recursive.addAll(watches.getPersistentRecursiveWatches());
  }

  /** Requests that set all watches again, and report the changes since a transaction. */
  List<ZooKeeperRequest> toRequests(long sinceZxid) {
    return requests(
        new SetWatches2(
            sinceZxid,
            List.copyOf(data),
            List.copyOf(absent),
            List.copyOf(children),
            List.copyOf(persistent),
            List.copyOf(recursive)));
  }

  /** Splits the watches into requests that each fit into a frame. */
  public static List<ZooKeeperRequest> requests(SetWatches2 watches) {
    var requests = new ArrayList<ZooKeeperRequest>();
    var batch = new Batch(watches.getRelativeZxid(), requests);
    watches.getDataWatches().forEach(path -> batch.add(0, path));
    watches.getExistWatches().forEach(path -> batch.add(1, path));
    watches.getChildWatches().forEach(path -> batch.add(2, path));
    watches.getPersistentWatches().forEach(path -> batch.add(3, path));
    watches.getPersistentRecursiveWatches().forEach(path -> batch.add(4, path));
    batch.flush();
    return requests;
  }

  private static final class Batch {
    private static final int MOST_BYTES = 128 << 10;

    private final long sinceZxid;
    private final List<ZooKeeperRequest> target;
    private List<List<String>> pathsByKind = createEmptyKinds();
    private int bytes;

    Batch(long sinceZxid, List<ZooKeeperRequest> target) {
      this.sinceZxid = sinceZxid;
      this.target = target;
    }

    private static List<List<String>> createEmptyKinds() {
      var kinds = new ArrayList<List<String>>();
      for (int kind = 0; kind < 5; kind++) {
        kinds.add(new ArrayList<>());
      }
      return kinds;
    }

    void add(int kind, String path) {
      pathsByKind.get(kind).add(path);
      bytes += path.length();
      if (bytes > MOST_BYTES) {
        flush();
      }
    }

    void flush() {
      if (bytes > 0) {
        target.add(
            ZooKeeperRequest.of(
                OpCode.setWatches2,
                new SetWatches2(
                    sinceZxid,
                    pathsByKind.get(0),
                    pathsByKind.get(1),
                    pathsByKind.get(2),
                    pathsByKind.get(3),
                    pathsByKind.get(4))));
      }
      pathsByKind = createEmptyKinds();
      bytes = 0;
    }
  }
}
