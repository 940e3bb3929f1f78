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
  private final Executor thread;
  private final Consumer<Runnable> later;
  private final Set<String> atWork = new HashSet<>();
  private boolean begun;

  /**
   * @param later runs a task after a short delay, on the same thread
   */
  public SessionReaper(
      ZooKeeper admin, Supplier<Flattening> flattening, Executor thread, Consumer<Runnable> later) {
    this.later = later;
    this.admin = admin;
    this.flattening = flattening;
    this.thread = thread;
  }

  /** Begins after the election; from then on every end of a session starts a check. */
  public void begin() {
    begun = true;
    look();
  }

  /** Compares the recorded sessions with the live ones. */
  public void look() {
    if (!begun) {
      return;
    }
    // A session's znodes are created in one transaction, so a recorded session that is not live has
    // ended.
    children(
        ZooFencePaths.SESSIONS,
        event -> {},
        known ->
            children(
                ZooFencePaths.EPHEMERALS,
                event -> {},
                owning ->
                    children(
                        ZooFencePaths.LIVE,
                        event -> wake(),
                        live -> compare(known, owning, live))));
  }

  private void wake() {
    thread.execute(this::look);
  }

  private void compare(List<String> known, List<String> owning, List<String> living) {
    var ended = new HashSet<>(known);
    ended.addAll(owning);
    living.forEach(ended::remove);
    ended.stream().filter(atWork::add).forEach(this::reap);
  }

  private void children(String path, Consumer<WatchedEvent> changed, Consumer<List<String>> then) {
    admin.getChildren(
        path,
        changed::accept,
        (code, of, context, children) ->
            thread.execute(
                () -> {
                  if (code == 0) {
                    then.accept(children);
                  }
                }),
        null);
  }

  private void reap(String session) {
    String records = ZnodePaths.child(ZooFencePaths.EPHEMERALS, session);
    admin.getChildren(
        records,
        false,
        (code, path, context, owned) ->
            thread.execute(
                () -> {
                  if (code == 0) {
                    owned.forEach(record -> remove(records, record));
                  }
                  forget(session);
                }),
        null);
  }

  /**
   * Removes an ephemeral znode. Its record is the command that removes it; one transaction moves
   * the command from the record to the queue.
   */
  private void remove(String records, String record) {
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
  private void forget(String session) {
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
            admin.delete(mailbox, -1, (left, of, ignored) -> end(session, isGone(left)), null);
          } else {
            end(session, false);
          }
        },
        null);
  }

  private static boolean isGone(int code) {
    return code == 0 || code == Code.NONODE.intValue();
  }

  private void end(String session, boolean gone) {
    thread.execute(
        () -> {
          atWork.remove(session);
          if (!gone) {
            later.accept(this::look);
          }
        });
  }
}
