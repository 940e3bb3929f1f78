package io.ensemble.zoofence.queue.expiry;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.AdminAccess;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Cleans up after sessions that have ended without closing. Their ephemeral znodes that several
 * instances hold are removed through the queues; afterwards their records are deleted. One elected
 * executor runs the reaper.
 */
public final class SessionReaper {
  private final ZooKeeper admin;
  private final List<String> names;
  private final AdminAccess access;
  private final Executor executor;
  private final Consumer<Runnable> delayedExecutor;
  private final Set<String> inProgress = new HashSet<>();

  /** One object for all checks: ZooKeeper's client keeps a set of the watchers of a path. */
  private final Watcher sessionWatcher = this::handleEvent;

  private boolean isBegun;

  /**
   * @param names the names of the instances, in order
   * @param access the access list of commands
   * @param delayedExecutor runs a task after a short delay, on the same thread
   */
  public SessionReaper(
      ZooKeeper admin,
      List<String> names,
      AdminAccess access,
      Executor executor,
      Consumer<Runnable> delayedExecutor) {
    this.delayedExecutor = delayedExecutor;
    this.admin = admin;
    this.names = List.copyOf(names);
    this.access = access;
    this.executor = executor;
  }

  /** Begins after the election; from then on every end of a session starts a check. */
  public void begin() {
    isBegun = true;
    checkSessions();
  }

  /** Compares the recorded sessions with the live ones. */
  public void checkSessions() {
    if (!isBegun) {
      return;
    }
    // A session's znodes are created in one transaction, so a recorded session that is not live has
    // ended.
    listChildren(
        ZooFencePaths.SESSIONS,
        null,
        recorded ->
            listChildren(
                ZooFencePaths.EPHEMERALS,
                null,
                owners ->
                    listChildren(
                        ZooFencePaths.LIVE,
                        sessionWatcher,
                        live -> reapEnded(recorded, owners, live))));
  }

  /** Starts a check when a session begins or ends; a new connection starts one by itself. */
  private void handleEvent(WatchedEvent event) {
    if (event.getType() == EventType.NodeChildrenChanged) {
      executor.execute(this::checkSessions);
    }
  }

  private void reapEnded(List<String> recorded, List<String> owners, List<String> live) {
    var endedSessions = new HashSet<>(recorded);
    endedSessions.addAll(owners);
    live.forEach(endedSessions::remove);
    endedSessions.stream().filter(inProgress::add).forEach(this::reapSession);
  }

  private void listChildren(
      String path, @Nullable Watcher watcher, Consumer<List<String>> callback) {
    admin.getChildren(
        path,
        watcher,
        (code, of, context, children) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    callback.accept(children);
                  }
                }),
        null);
  }

  /**
   * Reads the flattening, then reaps a session by it. The cached flattening of this process may be
   * one from before a move.
   */
  private void reapSession(String session) {
    admin.getData(
        ZooFencePaths.FLATTENING,
        false,
        (code, path, context, data, stat) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    Flattening flattening = FlatteningEpoch.read(data, names).flattening();
                    reapSession(session, flattening, stat.getVersion());
                  } else {
                    finish(session, false);
                  }
                }),
        null);
  }

  private void reapSession(String session, Flattening flattening, int version) {
    String records = ZnodePaths.child(ZooFencePaths.EPHEMERALS, session);
    admin.getChildren(
        records,
        false,
        (code, path, context, owned) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    owned.forEach(record -> removeZnode(records, record, flattening, version));
                  }
                  deleteRecords(session);
                }),
        null);
  }

  /**
   * Removes an ephemeral znode. Its record is the command that removes it; one transaction moves
   * the command from the record to the queue. If the flattening has changed meanwhile, the queue
   * may be the wrong one: then the transaction has no effect, and the next check finds the record.
   *
   * @param version the version of the znode of the flattening
   */
  private void removeZnode(String records, String record, Flattening flattening, int version) {
    String path = ZnodePaths.child(records, record);
    InstanceSet set = flattening.holdersOfParent(ZooFencePaths.recorded(record));
    admin.getData(
        path,
        false,
        (code, of, context, command, stat) -> {
          if (code == 0) {
            admin.multi(
                List.of(
                    Op.check(ZooFencePaths.FLATTENING, version),
                    Op.create(
                        ZooFencePaths.queue(set) + "/c-",
                        command,
                        access.acl(),
                        CreateMode.PERSISTENT_SEQUENTIAL),
                    Op.delete(path, -1)),
                (done, ignored, nothing, results) -> {},
                null);
          }
        },
        null);
  }

  /**
   * Deletes the remaining records of a session, all or none. If records were added meanwhile, the
   * session remains recorded until the next check, which is soon.
   */
  private void deleteRecords(String session) {
    String mailbox = ZnodePaths.child(ZooFencePaths.SESSIONS, session);
    admin.getChildren(
        mailbox,
        false,
        (code, path, context, outcomes) -> {
          if (code == 0) {
            outcomes.forEach(
                outcome ->
                    admin.delete(
                        ZnodePaths.child(mailbox, outcome), -1, (done, of, ignored) -> {}, null));
          }
          delete(mailbox, ZnodePaths.child(ZooFencePaths.EPHEMERALS, session), session);
        },
        null);
  }

  private void delete(String mailbox, String records, String session) {
    admin.delete(
        records,
        -1,
        (code, path, context) -> {
          if (isGone(code)) {
            // An outcome of a removed command may have arrived meanwhile.
            admin.delete(mailbox, -1, (left, of, ignored) -> finish(session, isGone(left)), null);
          } else {
            finish(session, false);
          }
        },
        null);
  }

  private static boolean isGone(int code) {
    return code == 0 || code == Code.NONODE.intValue();
  }

  private void finish(String session, boolean isGone) {
    executor.execute(
        () -> {
          inProgress.remove(session);
          if (!isGone) {
            delayedExecutor.accept(this::checkSessions);
          }
        });
  }
}
