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
  public void note(ZooKeeperRequest request, ZooKeeperReply reply) {
    switch (request.type()) {
      case OpCode.getData -> set(request, reply.succeeded(), data);
      case OpCode.exists -> {
        set(request, reply.succeeded(), data);
        set(request, reply.failedWith(Code.NONODE), absent);
      }
      case OpCode.getChildren, OpCode.getChildren2 -> set(request, reply.succeeded(), children);
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

  private static void set(ZooKeeperRequest request, boolean holds, Set<String> where) {
    int last = request.body().limit() - 1;
    if (holds && last >= 0 && request.body().get(last) != 0) {
      where.add(request.path());
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
  public void fired(WatcherEvent event) {
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
  public boolean persists(Predicate<String> moved) {
    return persistent.stream().anyMatch(moved) || recursive.stream().anyMatch(moved);
  }

  /** Removes and returns the one-shot watches on paths that have moved. */
  public SetWatches2 leave(Predicate<String> moved) {
    return new SetWatches2(
        0, taken(data, moved), taken(absent, moved), taken(children, moved), List.of(), List.of());
  }

  /** Divides one-shot watches by the instance that each path belongs to. */
  public static Map<Integer, SetWatches2> divided(SetWatches2 all, ToIntFunction<String> instance) {
    var parts = new TreeMap<Integer, SetWatches2>();
    all.getDataWatches()
        .forEach(path -> part(parts, instance.applyAsInt(path)).getDataWatches().add(path));
    all.getExistWatches()
        .forEach(path -> part(parts, instance.applyAsInt(path)).getExistWatches().add(path));
    all.getChildWatches()
        .forEach(path -> part(parts, instance.applyAsInt(path)).getChildWatches().add(path));
    return parts;
  }

  /** The part of an instance, created at the first use. */
  public static SetWatches2 part(Map<Integer, SetWatches2> parts, int instance) {
    return parts.computeIfAbsent(
        instance,
        made ->
            new SetWatches2(
                0,
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>()));
  }

  private static List<String> taken(Set<String> from, Predicate<String> moved) {
    List<String> taken = from.stream().filter(moved).toList();
    taken.forEach(from::remove);
    return taken;
  }

  /** Records watches that a client sets again. */
  public void set(SetWatches2 again) {
    data.addAll(again.getDataWatches());
    absent.addAll(again.getExistWatches());
    children.addAll(again.getChildWatches());
    persistent.addAll(again.getPersistentWatches());
    recursive.addAll(again.getPersistentRecursiveWatches());
  }

  /** Requests that set all watches again, and report the changes since a transaction. */
  List<ZooKeeperRequest> again(long sinceZxid) {
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
  public static List<ZooKeeperRequest> requests(SetWatches2 all) {
    var requests = new ArrayList<ZooKeeperRequest>();
    var batch = new Batch(all.getRelativeZxid(), requests);
    all.getDataWatches().forEach(path -> batch.add(0, path));
    all.getExistWatches().forEach(path -> batch.add(1, path));
    all.getChildWatches().forEach(path -> batch.add(2, path));
    all.getPersistentWatches().forEach(path -> batch.add(3, path));
    all.getPersistentRecursiveWatches().forEach(path -> batch.add(4, path));
    batch.flush();
    return requests;
  }

  private static final class Batch {
    private static final int MOST_BYTES = 128 << 10;

    private final long sinceZxid;
    private final List<ZooKeeperRequest> into;
    private List<List<String>> kinds = empty();
    private int bytes;

    Batch(long sinceZxid, List<ZooKeeperRequest> into) {
      this.sinceZxid = sinceZxid;
      this.into = into;
    }

    private static List<List<String>> empty() {
      var kinds = new ArrayList<List<String>>();
      for (int kind = 0; kind < 5; kind++) {
        kinds.add(new ArrayList<>());
      }
      return kinds;
    }

    void add(int kind, String path) {
      kinds.get(kind).add(path);
      bytes += path.length();
      if (bytes > MOST_BYTES) {
        flush();
      }
    }

    void flush() {
      if (bytes > 0) {
        into.add(
            ZooKeeperRequest.of(
                OpCode.setWatches2,
                new SetWatches2(
                    sinceZxid,
                    kinds.get(0),
                    kinds.get(1),
                    kinds.get(2),
                    kinds.get(3),
                    kinds.get(4))));
      }
      kinds = empty();
      bytes = 0;
    }
  }
}
