package io.ensemble.zoofence.queue.executor;

import static java.util.Comparator.comparing;

import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * A candidate for a leadership: the candidate with the oldest ephemeral znode is the leader. The
 * transaction that created the znode gives the leader's term, which grows from one leader to the
 * next. A library's election recipe does not give such a term. Without a term, a slow former leader
 * would be indistinguishable from its successor.
 */
final class LeaderCandidate {
  private final ZooKeeper client;
  private final String office;
  private final Executor thread;
  private final LongConsumer elected;
  private @Nullable String name;
  private boolean holding;

  /**
   * @param client one session of the client is one candidate; a new session needs a new candidate
   * @param office the path below which the candidates' znodes are
   * @param elected receives the term, once
   */
  LeaderCandidate(ZooKeeper client, String office, Executor thread, LongConsumer elected) {
    this.client = client;
    this.office = office;
    this.thread = thread;
    this.elected = elected;
  }

  void stand() {
    client.create(
        office,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT,
        (code, path, context, made) -> {},
        null);
    client.create(
        office + "/" + mark(),
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL_SEQUENTIAL,
        (code, path, context, made) -> thread.execute(this::look),
        null);
  }

  /**
   * The name contains the session, so that the candidate finds its own znode even if the response
   * is lost.
   */
  private String mark() {
    return "n-" + Long.toHexString(client.getSessionId()) + "-";
  }

  /** Resigns from the leadership, or from the election. */
  void resign(Runnable then) {
    String mine = name;
    name = null;
    holding = true;
    if (mine == null) {
      then.run();
      return;
    }
    client.delete(
        ZnodePaths.child(office, mine), -1, (code, path, context) -> thread.execute(then), null);
  }

  /** Looks for the oldest candidate; called again after a connection loss. */
  void look() {
    if (holding) {
      return;
    }
    client.getChildren(
        office,
        false,
        (code, path, context, children) ->
            thread.execute(
                () -> {
                  if (code == 0) {
                    look(children);
                  }
                }),
        null);
  }

  private static String number(String candidate) {
    return candidate.substring(candidate.lastIndexOf('-') + 1);
  }

  private void look(List<String> candidates) {
    String mine =
        candidates.stream()
            .filter(one -> one.startsWith(mark()))
            .min(comparing(LeaderCandidate::number))
            .orElse(null);
    if (holding) {
      return;
    }
    if (mine == null) {
      stand();
      return;
    }
    name = mine;
    candidates.stream()
        .filter(other -> number(other).compareTo(number(mine)) < 0)
        .max(comparing(LeaderCandidate::number))
        .ifPresentOrElse(this::follow, () -> hold(mine));
  }

  private void follow(String before) {
    client.exists(
        ZnodePaths.child(office, before),
        (WatchedEvent event) -> {
          if (event.getType() == EventType.NodeDeleted) {
            thread.execute(this::look);
          }
        },
        (code, path, context, stat) -> {
          if (code == Code.NONODE.intValue()) {
            thread.execute(this::look);
          }
        },
        null);
  }

  private void hold(String mine) {
    client.exists(
        ZnodePaths.child(office, mine),
        false,
        (code, path, context, stat) ->
            thread.execute(
                () -> {
                  if (code == 0 && !holding) {
                    holding = true;
                    elected.accept(stat.getCzxid());
                  }
                }),
        null);
  }
}
