package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.MovePreview;
import io.ensemble.zoofence.flattening.SubtreeMove;
import io.ensemble.zoofence.flattening.ZnodePaths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
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
 * Reads what {@link SubtreeCopier} would copy, and what would make it refuse. Nothing is changed:
 * whether the credentials permit a change is tested by a transaction that fails at its last
 * operation. Blocks; for one thread. The cost is about five round trips for each znode.
 */
public final class SubtreeInspector {
  private final FlatteningEpoch epoch;
  private final List<String> names;
  private final IntFunction<ZooKeeper> clients;
  private final BooleanSupplier isOverdue;
  private final Map<Integer, MovePreview.Copies> copies = new TreeMap<>();
  private final Map<Integer, Long> removals = new TreeMap<>();
  private final List<String> refusals = new ArrayList<>();
  private long refusalCount;
  private long znodes;
  private long dataBytes;

  /**
   * @param names the names of the instances, in order
   * @param clients the client of each instance, with the credentials of the move
   * @param isOverdue whether to stop
   */
  public SubtreeInspector(
      FlatteningEpoch epoch,
      List<String> names,
      IntFunction<ZooKeeper> clients,
      BooleanSupplier isOverdue) {
    this.epoch = epoch;
    this.names = List.copyOf(names);
    this.clients = clients;
    this.isOverdue = isOverdue;
  }

  /**
   * Inspects a subtree; for one call.
   *
   * @param rule the new holders, as in a flattening's text
   * @return what the move would do; null if there was not enough time
   * @throws KeeperException if an instance could not be asked
   */
  public @Nullable MovePreview inspect(String path, String rule)
      throws KeeperException, InterruptedException {
    var move = new SubtreeMove(path, rule, "preview", SubtreeMove.Phase.COPYING);
    String pathError = SubtreeRelocation.findPathError(move);
    if (!pathError.isEmpty()) {
      refuse(pathError);
      return preview();
    }
    Flattening target;
    try {
      target = SubtreeRelocation.findTarget(epoch, move, names);
    } catch (IllegalArgumentException e) {
      refuse(String.valueOf(e.getMessage()));
      return preview();
    }
    if (target.equals(epoch.flattening())) {
      return preview();
    }
    findOwned(path);
    var pendingPaths = new ArrayDeque<>(List.of(path));
    while (!pendingPaths.isEmpty()) {
      if (isOverdue.getAsBoolean()) {
        return null;
      }
      String next = pendingPaths.remove();
      for (String name : inspectZnode(next, next.equals(path), target)) {
        pendingPaths.add(ZnodePaths.child(next, name));
      }
    }
    return preview();
  }

  private MovePreview preview() {
    var namedCopies = new TreeMap<String, MovePreview.Copies>();
    copies.forEach((instance, each) -> namedCopies.put(names.get(instance), each));
    var namedRemovals = new TreeMap<String, Long>();
    removals.forEach((instance, count) -> namedRemovals.put(names.get(instance), count));
    return new MovePreview(znodes, dataBytes, namedCopies, namedRemovals, refusals, refusalCount);
  }

  private void refuse(String reason) {
    refusalCount++;
    if (refusals.size() < MovePreview.MOST_REFUSALS) {
      refusals.add(reason);
    }
  }

  /** Finds znodes that are ephemeral or expire by ZooFence's own records. */
  private void findOwned(String root) throws KeeperException, InterruptedException {
    for (int instance = 0; instance < names.size(); instance++) {
      ZooKeeper client = clients.apply(instance);
      client.sync(ZooFencePaths.OWNED);
      for (String record : client.getChildren(ZooFencePaths.OWNED, false)) {
        String path = ZooFencePaths.unescaped(record);
        if (ZnodePaths.under(path, root)
            && SubtreeCopier.isOwned(path, epoch.flattening(), instance, client)) {
          refuse(SubtreeCopier.ownedReason(path));
        }
      }
    }
  }

  /** Inspects a znode, and returns the names of its children. */
  private List<String> inspectZnode(String path, boolean isRoot, Flattening target)
      throws KeeperException, InterruptedException {
    ZooKeeper source = clients.apply(epoch.flattening().holders(path).canonical());
    var stat = new Stat();
    byte[] data;
    List<ACL> acl;
    List<String> children;
    try {
      data = source.getData(path, false, stat);
      acl = source.getACL(path, new Stat());
      children = source.getChildren(path, false);
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    } catch (KeeperException.NoAuthException e) {
      refuse(SubtreeCopier.authReason(path));
      return List.of();
    }
    long bytes = data == null ? 0 : data.length;
    znodes++;
    dataBytes += bytes;
    if (stat.getEphemeralOwner() != 0) {
      refuse(SubtreeCopier.ownedReason(path));
    }
    if (!canChange(source, path, acl)) {
      refuse(SubtreeCopier.authReason(path));
    }
    InstanceSet holders = target.holders(path);
    InstanceSet targets = isRoot ? holders : target.holdersOfParent(path);
    for (int instance : targets.numbers()) {
      addCopy(path, instance, holders.contains(instance), stat, bytes);
    }
    if (!isRoot) {
      InstanceSet former = epoch.flattening().holdersOfParent(path).without(targets);
      former.numbers().forEach(instance -> removals.merge(instance, 1L, Long::sum));
    }
    return children;
  }

  private void addCopy(String path, int instance, boolean isHolder, Stat source, long bytes)
      throws KeeperException, InterruptedException {
    Stat copy = clients.apply(instance).exists(path, false);
    boolean isNew = copy == null;
    long changes = isHolder ? countChanges(path, source, isNew ? new Stat() : copy) : 0;
    boolean isFilled = isHolder && !epoch.flattening().holders(path).contains(instance);
    if (isFilled && !isNew && bytes > 0 && source.getVersion() <= copy.getVersion()) {
      changes++; // The data of the original replaces that of an empty znode.
    }
    if (isNew || changes > 0) {
      copies.merge(
          instance,
          new MovePreview.Copies(isNew ? 1 : 0, isFilled ? bytes : 0, changes),
          MovePreview.Copies::plus);
    }
  }

  private long countChanges(String path, Stat source, Stat copy) {
    int copiedChildren = source.getNumChildren() - copy.getNumChildren();
    long changes = 0;
    for (int missing :
        new int[] {
          source.getVersion() - copy.getVersion(),
          source.getAversion() - copy.getAversion(),
          SubtreeCopier.countCreated(source) - SubtreeCopier.countCreated(copy) - copiedChildren
        }) {
      if (missing > SubtreeCopier.MOST_CHANGES) {
        refuse(SubtreeCopier.changesReason(path, missing));
      }
      changes += Math.max(0, missing);
    }
    return changes;
  }

  /**
   * Whether the credentials permit to change a znode, and to create and delete its children. The
   * last operation of the transaction always fails, so the others have no effect.
   */
  private static boolean canChange(ZooKeeper client, String path, List<ACL> acl)
      throws KeeperException, InterruptedException {
    if (acl.equals(ZooDefs.Ids.OPEN_ACL_UNSAFE)) {
      return true;
    }
    String child = ZnodePaths.child(path, "zoofence-preview");
    try {
      client.multi(
          List.of(
              Op.setData(path, new byte[0], -1),
              Op.create(child, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
              Op.delete(child, -1),
              Op.check(ZooFencePaths.ROOT, Integer.MAX_VALUE)));
      throw new AssertionError("a transaction with a failing check took effect");
    } catch (KeeperException e) {
      List<OpResult> results = e.getResults();
      if (results == null) {
        throw e;
      }
      return results.stream()
          .noneMatch(
              result ->
                  result instanceof OpResult.ErrorResult error
                      && error.getErr() == Code.NOAUTH.intValue());
    }
  }
}
