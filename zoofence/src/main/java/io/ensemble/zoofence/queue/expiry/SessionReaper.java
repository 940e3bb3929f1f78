package io.ensemble.zoofence.queue.expiry;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/**
 * Cleans up after sessions that have ended without closing. Their ephemeral znodes that several
 * instances hold are removed through the queues; afterwards their records are deleted. One elected
 * executor runs the reaper.
 */
public final class SessionReaper {
  private final ZooKeeper admin;
  private final Supplier<Flattening> flattening;
  private final Executor executor;
  private final Consumer<Runnable> delayedExecutor;
  private final Set<String> inProgress = new HashSet<>();
  private boolean isBegun;

  /**
   * @param delayedExecutor runs a task after a short delay, on the same thread
   */
  public SessionReaper(
      ZooKeeper admin,
      Supplier<Flattening> flattening,
      Executor executor,
      Consumer<Runnable> delayedExecutor) {
    this.delayedExecutor = delayedExecutor;
    this.admin = admin;
    this.flattening = flattening;
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
        event -> {},
        recorded ->
            listChildren(
                ZooFencePaths.EPHEMERALS,
                event -> {},
                owners ->
                    listChildren(
                        ZooFencePaths.LIVE,
                        event -> scheduleCheck(),
                        live -> reapEnded(recorded, owners, live))));
  }

  private void scheduleCheck() {
    executor.execute(this::checkSessions);
  }

  private void reapEnded(List<String> recorded, List<String> owners, List<String> live) {
    var endedSessions = new HashSet<>(recorded);
    endedSessions.addAll(owners);
    live.forEach(endedSessions::remove);
    endedSessions.stream().filter(inProgress::add).forEach(this::reapSession);
  }

  private void listChildren(
      String path, Consumer<WatchedEvent> watcher, Consumer<List<String>> callback) {
    admin.getChildren(
        path,
        watcher::accept,
        (code, of, context, children) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    callback.accept(children);
                  }
                }),
        null);
  }

  private void reapSession(String session) {
    String records = ZnodePaths.child(ZooFencePaths.EPHEMERALS, session);
    admin.getChildren(
        records,
        false,
        (code, path, context, owned) ->
            executor.execute(
                () -> {
                  if (code == 0) {
                    owned.forEach(record -> removeZnode(records, record));
                  }
                  deleteRecords(session);
                }),
        null);
  }

  /**
   * Removes an ephemeral znode. Its record is the command that removes it; one transaction moves
   * the command from the record to the queue.
   */
  private void removeZnode(String records, String record) {
    String path = ZnodePaths.child(records, record);
    InstanceSet set = flattening.get().holdersOfParent(ZooFencePaths.recorded(record));
    admin.getData(
        path,
        false,
        (code, of, context, command, stat) -> {
          if (code == 0) {
            admin.multi(
                List.of(
                    Op.create(
                        ZooFencePaths.queue(set) + "/c-",
                        command,
                        ZooDefs.Ids.OPEN_ACL_UNSAFE,
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
