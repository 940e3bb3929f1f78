package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Whose the znodes are that the instances of a set hold and that do not stay of themselves, as its
 * leader knows.
 */
final class ZnodeOwners {
  private final Map<String, ZnodeOwner> owners = new HashMap<>();
  private final QueueStore queueStore;

  ZnodeOwners(QueueStore queueStore) {
    this.queueStore = queueStore;
  }

  /** What an instance remembers takes the place of what was known. */
  void read(ZooKeeper instance, Executor thread, Runnable then) {
    new OwnerRecordReader(
            instance,
            thread,
            found -> {
              owners.clear();
              owners.putAll(found);
              then.run();
            })
        .read();
  }

  /** What an instance remembers of one path. */
  void learn(String path, @Nullable ZnodeOwner owner) {
    if (owner == null) {
      owners.remove(path);
    } else {
      owners.put(path, owner);
    }
  }

  @Nullable ZnodeOwner of(String path) {
    return owners.get(path);
  }

  /** The session that owns a path; 0 if it is none's. */
  long session(String path) {
    ZnodeOwner owner = owners.get(path);
    return owner == null || !owner.isSession() ? 0 : owner.owner();
  }

  /** A plan has taken effect. */
  void changed(CommandPlan plan, long command) {
    for (String path : plan.freed()) {
      ZnodeOwner former = owners.remove(path);
      if (former != null) {
        queueStore.free(former, path);
      }
    }
    plan.owned().forEach((path, owner) -> owners.put(path, new ZnodeOwner(owner, command)));
  }
}
