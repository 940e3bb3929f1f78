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
  private final String electionPath;
  private final Executor executor;
  private final LongConsumer onElected;
  private @Nullable String znodeName;
  private boolean isSettled;

  /**
   * @param client one session of the client is one candidate; a new session needs a new candidate
   * @param electionPath the path below which the candidates' znodes are
   * @param onElected receives the term, once
   */
  LeaderCandidate(
      ZooKeeper client, String electionPath, Executor executor, LongConsumer onElected) {
    this.client = client;
    this.electionPath = electionPath;
    this.executor = executor;
    this.onElected = onElected;
  }

  void join() {
    client.create(
        electionPath,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.PERSISTENT,
        (code, path, context, made) -> {},
        null);
    client.create(
        electionPath + "/" + namePrefix(),
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL_SEQUENTIAL,
        (code, path, context, made) -> executor.execute(this::checkLeadership),
        null);
  }

  /**
   * The name contains the session, so that the candidate finds its own znode even if the response
   * is lost.
   */
  private String namePrefix() {
    return "n-" + Long.toHexString(client.getSessionId()) + "-";
  }

  /** The path of the znode that exists as long as this candidate stands; null if there is none. */
  @Nullable String znodePath() {
    return znodeName == null ? null : ZnodePaths.child(electionPath, znodeName);
  }

  /** Resigns from the leadership, or from the election. */
  void resign(Runnable callback) {
    String ownName = znodeName;
    znodeName = null;
    isSettled = true;
    if (ownName == null) {
      callback.run();
      return;
    }
    client.delete(
        ZnodePaths.child(electionPath, ownName),
        -1,
        (code, path, context) -> executor.execute(callback),
        null);
  }

  /** Looks for the oldest candidate; called again after a connection loss. */
  void checkLeadership() {
    if (isSettled) {
      return;
    }
    client.getChildren(
        electionPath,
        false,
        (code, path, context, children) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    evaluateCandidates(children);
                  }
                }),
        null);
  }

  private static String sequenceNumber(String candidate) {
    return candidate.substring(candidate.lastIndexOf('-') + 1);
  }

  private void evaluateCandidates(List<String> candidates) {
    String ownName =
        candidates.stream()
            .filter(candidate -> candidate.startsWith(namePrefix()))
            .min(comparing(LeaderCandidate::sequenceNumber))
            .orElse(null);
    if (isSettled) {
      return;
    }
    if (ownName == null) {
      join();
      return;
    }
    znodeName = ownName;
    candidates.stream()
        .filter(candidate -> sequenceNumber(candidate).compareTo(sequenceNumber(ownName)) < 0)
        .max(comparing(LeaderCandidate::sequenceNumber))
        .ifPresentOrElse(this::watchPredecessor, () -> claimLeadership(ownName));
  }

  private void watchPredecessor(String predecessor) {
    client.exists(
        ZnodePaths.child(electionPath, predecessor),
        (WatchedEvent event) -> {
          if (event.getType() == EventType.NodeDeleted) {
            executor.execute(this::checkLeadership);
          }
        },
        (code, path, context, stat) -> {
          if (code == Code.NONODE.intValue()) {
            executor.execute(this::checkLeadership);
          }
        },
        null);
  }

  private void claimLeadership(String ownName) {
    client.exists(
        ZnodePaths.child(electionPath, ownName),
        false,
        (code, path, context, stat) ->
            executor.execute(
                () -> {
                  if (code == 0 && !isSettled) {
                    isSettled = true;
                    onElected.accept(stat.getCzxid());
                  }
                }),
        null);
  }
}
