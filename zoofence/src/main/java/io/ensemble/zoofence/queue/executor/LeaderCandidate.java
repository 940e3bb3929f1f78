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
 * Stands for an office: the candidate whose ephemeral znode is the oldest holds it. The transaction
 * that made the znode is the candidate's term, which only grows from one holder to the next. That
 * is why this is no recipe of a library's: they do not tell a term, and without one a holder that
 * has been slow cannot be told from the one that followed it.
 */
final class LeaderCandidate {
  private final ZooKeeper client;
  private final String office;
  private final Executor thread;
  private final LongConsumer elected;
  private @Nullable String name;
  private boolean holding;

  /**
   * @param client one session of it is one candidacy: a new session stands anew
   * @param office the path below which candidates stand
   * @param elected is given the term, once
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

  /** Its session is in a candidate's name: so it finds itself though no answer came. */
  private String mark() {
    return "n-" + Long.toHexString(client.getSessionId()) + "-";
  }

  /** Gives the office, or the wait for it, up. */
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

  /** Looks who is the oldest; asked again when the connection was lost meanwhile. */
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
