package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Copies a locked subtree to its new holders. The copy keeps versions and the counts of children,
 * because clients compare versions and sequential names depend on the counts. An instance does not
 * let a client set a version: the copier reaches it by as many changes. Copying twice is safe.
 * Blocks.
 */
final class SubtreeCopier {
  /**
   * The subtree cannot be copied; the message gives the reason to the process that requested the
   * move.
   */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
      super(reason);
    }
  }

  /** An instance, accessed with the credentials of the command. */
  record Site(QueueReplica replica, QueueCommand command, Executor thread) {
    ZooKeeper client() throws InterruptedException {
      return BlockingBridge.call(
          thread, then -> then.accept(replica.client(command.credentials())));
    }

    void transact(String path, List<Op> operations) throws InterruptedException, Refused {
      for (int from = 0; from < operations.size(); from += BATCH) {
        List<Op> batch = operations.subList(from, Math.min(operations.size(), from + BATCH));
        List<OpResult> results =
            BlockingBridge.call(thread, then -> replica.transact(command, batch, then));
        for (OpResult result : results) {
          if (result instanceof OpResult.ErrorResult error
              && error.getErr() != 0
              && error.getErr() != Code.RUNTIMEINCONSISTENCY.intValue()) {
            throw new Refused(path + ": " + Code.get(error.getErr()));
          }
        }
      }
    }
  }

  private record Seen(byte @Nullable [] data, List<ACL> acl, Stat stat) {
    /**
     * The number of children created so far. The child version that a client sees is twice that
     * number less the existing children.
     */
    int countCreated() {
      return SubtreeCopier.countCreated(stat);
    }

    boolean hasData(byte @Nullable [] otherData) {
      return Arrays.equals(data, otherData);
    }
  }

  private static final int BATCH = 500;

  /** The maximum number of changes that restore a znode's version. */
  static final int MOST_CHANGES = 1_000_000;

  private final String root;
  private final Flattening from;
  private final Flattening to;
  private final InstanceSet instances;
  private final IntFunction<Site> sites;

  SubtreeCopier(
      String root, Flattening from, Flattening to, InstanceSet instances, IntFunction<Site> sites) {
    this.root = root;
    this.from = from;
    this.to = to;
    this.instances = instances;
    this.sites = sites;
  }

  void copy() throws InterruptedException, KeeperException, Refused {
    // The copies of an earlier attempt may be outdated.
    removeLeftovers(from);
    requirePersistent();
    List<String> paths = listPaths();
    for (String path : paths) {
      copyZnode(path);
    }
    Collections.reverse(paths);
    for (String path : paths) {
      alignChildCounts(path);
      alignAcl(path);
    }
  }

  /**
   * Refuses znodes that are not permanent: they belong to a session at an instance, or are removed
   * through a queue. Removes the records of owners at instances that do not have the znode, because
   * no command would.
   */
  private void requirePersistent() throws InterruptedException, KeeperException, Refused {
    for (int instance : instances.numbers()) {
      ZooKeeper client = sites.apply(instance).client();
      var removals = new ArrayList<Op>();
      for (String record : client.getChildren(ZooFencePaths.OWNED, false)) {
        String path = ZooFencePaths.unescaped(record);
        if (!ZnodePaths.under(path, root)) {
          continue;
        }
        if (isOwned(path, from, instance, client)) {
          throw toOwnedRefusal(path);
        }
        removals.add(Op.delete(ZnodePaths.child(ZooFencePaths.OWNED, record), -1));
      }
      sites.apply(instance).transact(root, removals);
    }
  }

  /**
   * Whether the record of an owner at an instance is that of a znode there. A record without a
   * znode remains where a version before decision 43 recorded owners at all instances of a queue.
   */
  static boolean isOwned(String path, Flattening placement, int instance, ZooKeeper client)
      throws InterruptedException, KeeperException {
    if (!placement.holdersOfParent(path).contains(instance)) {
      return false;
    }
    try {
      return client.exists(path, false) != null;
    } catch (KeeperException.NoAuthException e) {
      return true; // Only an existing znode can refuse to be read.
    }
  }

  static int countCreated(Stat stat) {
    return (stat.getCversion() + stat.getNumChildren()) / 2;
  }

  private static Refused toOwnedRefusal(String path) {
    return new Refused(ownedReason(path));
  }

  static String ownedReason(String path) {
    return "only persistent znodes can be moved: "
        + path
        + " is ephemeral, a container, or has a time to live; delete it first";
  }

  /** The paths of the subtree, parents first. */
  private List<String> listPaths() throws InterruptedException, KeeperException, Refused {
    var paths = new ArrayList<String>();
    var pendingPaths = new ArrayDeque<>(List.of(root));
    while (!pendingPaths.isEmpty()) {
      String path = pendingPaths.remove();
      ZooKeeper source = sites.apply(from.holders(path).canonical()).client();
      try {
        Stat stat = source.exists(path, false);
        if (stat == null) {
          continue;
        }
        if (stat.getEphemeralOwner() != 0) {
          throw toOwnedRefusal(path);
        }
        paths.add(path);
        source
            .getChildren(path, false)
            .forEach(name -> pendingPaths.add(ZnodePaths.child(path, name)));
      } catch (KeeperException.NoAuthException e) {
        throw toAuthRefusal(path);
      }
    }
    return paths;
  }

  private static Refused toAuthRefusal(String path) {
    return new Refused(authReason(path));
  }

  static String authReason(String path) {
    return "the credentials of the mover do not permit reading and changing " + path;
  }

  private @Nullable Seen readZnode(int instance, String path)
      throws InterruptedException, KeeperException, Refused {
    ZooKeeper client = sites.apply(instance).client();
    var stat = new Stat();
    try {
      byte[] data = client.getData(path, false, stat);
      return new Seen(data, client.getACL(path, new Stat()), stat);
    } catch (KeeperException.NoNodeException e) {
      return null;
    } catch (KeeperException.NoAuthException e) {
      throw toAuthRefusal(path);
    }
  }

  private void copyZnode(String path) throws InterruptedException, KeeperException, Refused {
    Seen source = readSource(path);
    InstanceSet holders = to.holders(path);
    InstanceSet targets = path.equals(root) ? holders : to.holdersOfParent(path);
    var copies = new TreeMap<Integer, Seen>();
    for (int instance : targets.numbers()) {
      Seen existing = readZnode(instance, path);
      boolean isHolder = holders.contains(instance);
      if (existing == null) {
        byte[] data = isHolder ? source.data() : new byte[0];
        // The access list is set last: it may forbid the steps before.
        boolean hasChangedAcl = source.stat().getAversion() > 0;
        List<ACL> acl = hasChangedAcl ? ZooDefs.Ids.OPEN_ACL_UNSAFE : source.acl();
        sites
            .apply(instance)
            .transact(path, List.of(Op.create(path, data, acl, CreateMode.PERSISTENT)));
        existing = readZnode(instance, path);
      }
      if (isHolder && existing != null) {
        copies.put(instance, existing);
      }
    }
    alignVersions(path, source, copies);
  }

  /**
   * Gives all copies the same data and version. The version exceeds the former one only if the
   * former one cannot be reached.
   */
  private void alignVersions(String path, Seen source, Map<Integer, Seen> copies)
      throws InterruptedException, Refused {
    int highest = source.stat().getVersion();
    for (Seen copy : copies.values()) {
      highest = Math.max(highest, copy.stat().getVersion());
    }
    int highestVersion = highest;
    boolean isNewVersionNeeded =
        copies.values().stream()
            .anyMatch(
                copy -> copy.stat().getVersion() == highestVersion && !copy.hasData(source.data()));
    int targetVersion = isNewVersionNeeded ? highest + 1 : highest;
    for (var entry : copies.entrySet()) {
      int missing = targetVersion - entry.getValue().stat().getVersion();
      var changes = new ArrayList<Op>();
      checkChangeCount(path, missing);
      for (int change = 1; change <= missing; change++) {
        byte[] data = change == missing ? source.data() : new byte[0];
        changes.add(Op.setData(path, data, -1));
      }
      sites.apply(entry.getKey()).transact(path, changes);
    }
  }

  private static void checkChangeCount(String path, int changes) throws Refused {
    if (changes > MOST_CHANGES) {
      throw new Refused(changesReason(path, changes));
    }
  }

  static String changesReason(String path, int changes) {
    return path
        + " changed, or got children, "
        + changes
        + " times; at most "
        + MOST_CHANGES
        + " changes are supported";
  }

  private Seen readSource(String path) throws InterruptedException, KeeperException, Refused {
    Seen source = readZnode(from.holders(path).canonical(), path);
    if (source == null) {
      throw new Refused(path + " was removed while it was locked");
    }
    return source;
  }

  /** The copies of a path at its new holders. */
  private Map<Integer, Seen> readCopies(String path)
      throws InterruptedException, KeeperException, Refused {
    var copies = new TreeMap<Integer, Seen>();
    for (int instance : to.holders(path).numbers()) {
      Seen existing = readZnode(instance, path);
      if (existing != null) {
        copies.put(instance, existing);
      }
    }
    return copies;
  }

  /**
   * Gives all copies the same access list and the same version of it. A transaction of ZooKeeper
   * cannot change an access list.
   */
  private void alignAcl(String path) throws InterruptedException, KeeperException, Refused {
    Seen source = readSource(path);
    Map<Integer, Seen> copies = readCopies(path);
    int highest = source.stat().getAversion();
    for (Seen copy : copies.values()) {
      highest = Math.max(highest, copy.stat().getAversion());
    }
    int highestVersion = highest;
    boolean isNewVersionNeeded =
        copies.values().stream()
            .anyMatch(
                copy ->
                    copy.stat().getAversion() == highestVersion
                        && !copy.acl().equals(source.acl()));
    int targetVersion = isNewVersionNeeded ? highest + 1 : highest;
    for (var entry : copies.entrySet()) {
      int version = entry.getValue().stat().getAversion();
      checkChangeCount(path, targetVersion - version);
      try {
        while (version < targetVersion) {
          boolean isLast = version == targetVersion - 1;
          List<ACL> acl = isLast ? source.acl() : ZooDefs.Ids.OPEN_ACL_UNSAFE;
          version = sites.apply(entry.getKey()).client().setACL(path, acl, version).getAversion();
        }
      } catch (KeeperException.NoAuthException e) {
        throw toAuthRefusal(path);
      }
    }
  }

  /**
   * Gives all copies the same count of created children, from which new sequential children get
   * their numbers.
   */
  private void alignChildCounts(String path) throws InterruptedException, KeeperException, Refused {
    Map<Integer, Seen> copies = readCopies(path);
    int targetCount = readSource(path).countCreated();
    for (Seen copy : copies.values()) {
      targetCount = Math.max(targetCount, copy.countCreated());
    }
    String child = ZnodePaths.child(path, "zoofence-counts");
    for (var entry : copies.entrySet()) {
      int missing = targetCount - entry.getValue().countCreated();
      checkChangeCount(path, missing);
      var changes = new ArrayList<Op>();
      for (int change = 0; change < missing; change++) {
        changes.add(Op.create(child, new byte[0], entry.getValue().acl(), CreateMode.PERSISTENT));
        changes.add(Op.delete(child, -1));
      }
      sites.apply(entry.getKey()).transact(path, changes);
    }
  }

  /** Removes at each instance the znodes of which it holds neither the znode nor the parent. */
  void removeLeftovers(Flattening placement) throws InterruptedException, KeeperException, Refused {
    for (int instance : instances.numbers()) {
      var leftovers = new ArrayList<String>();
      var pendingPaths = new ArrayDeque<>(List.of(root));
      ZooKeeper client = sites.apply(instance).client();
      // The server may lag behind the one at which the subtree was locked.
      client.sync(root);
      while (!pendingPaths.isEmpty()) {
        String path = pendingPaths.remove();
        if (!path.equals(root) && !placement.holdersOfParent(path).contains(instance)) {
          leftovers.add(path);
        }
        try {
          client
              .getChildren(path, false)
              .forEach(name -> pendingPaths.add(ZnodePaths.child(path, name)));
        } catch (KeeperException.NoNodeException e) {
          // The znode is gone; a later attempt finds the rest.
        } catch (KeeperException.NoAuthException e) {
          throw toAuthRefusal(path);
        }
      }
      Collections.reverse(leftovers);
      var removals = new ArrayList<Op>();
      leftovers.forEach(path -> removals.add(Op.delete(path, -1)));
      sites.apply(instance).transact(root, removals);
    }
  }
}
