package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The leader's cache of the owners of znodes that the instances of its set hold and that are not
 * permanent.
 */
final class ZnodeOwners {
  private final Map<String, ZnodeOwner> owners = new HashMap<>();
  private final QueueStore queueStore;
  private final LongPredicate isUnfinished;

  /**
   * The records that were removed before the command that creates them was finished, by the number
   * of that command.
   */
  private final Map<Long, Map<String, ZnodeOwner>> removedEarly = new HashMap<>();

  /**
   * @param isUnfinished whether the outcome of a command may not have been sent yet; the same
   *     transaction creates the command's records
   */
  ZnodeOwners(QueueStore queueStore, LongPredicate isUnfinished) {
    this.queueStore = queueStore;
    this.isUnfinished = isUnfinished;
  }

  /** Replaces the cached owners by an instance's records. */
  void read(ZooKeeper instance, Executor executor, Runnable callback) {
    new OwnerRecordReader(
            instance,
            executor,
            records -> {
              owners.clear();
              owners.putAll(records);
              callback.run();
            })
        .read();
  }

  /** Records the owner of one path, as an instance has it. */
  void recordOwner(String path, @Nullable ZnodeOwner owner) {
    if (owner == null) {
      owners.remove(path);
    } else {
      owners.put(path, owner);
    }
  }

  @Nullable ZnodeOwner findOwner(String path) {
    return owners.get(path);
  }

  /** The session that owns a path; 0 if no session does. */
  long findSession(String path) {
    ZnodeOwner owner = owners.get(path);
    return owner == null || !owner.isSession() ? 0 : owner.owner();
  }

  /** Records the effect of a plan. */
  void applyPlan(CommandPlan plan, long command) {
    for (String path : plan.freed()) {
      ZnodeOwner removed = owners.remove(path);
      if (removed != null) {
        queueStore.removeRecord(removed, path);
        if (isUnfinished.test(removed.command())) {
          removedEarly
              .computeIfAbsent(removed.command(), key -> new HashMap<>())
              .put(path, removed);
        }
      }
    }
    plan.owned().forEach((path, owner) -> owners.put(path, new ZnodeOwner(owner, command)));
  }

  /**
   * The outcome of a command is sent, and its records exist. Removes those whose znodes were
   * removed meanwhile: the first removal may have preceded the creation.
   */
  void finishCommand(long command) {
    Map<String, ZnodeOwner> records = removedEarly.remove(command);
    if (records != null) {
      records.forEach((path, owner) -> queueStore.removeRecord(owner, path));
    }
  }
}
