package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.InstanceLocks;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.FlatteningText;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.SubtreeMove;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves a subtree to other holders while clients continue to work, in these steps:
 *
 * <ol>
 *   <li>All queues are paused, and the subtree is locked at every instance. The locks are the
 *       fence.
 *   <li>New holders receive the znodes that they do not have.
 *   <li>The next epoch of the flattening is written.
 *   <li>Each instance gets the number of the epoch in the transaction that releases its lock.
 *   <li>Copies at instances that are no longer holders are removed.
 * </ol>
 *
 * <p>The flattening's znode records the progress, so that another leader continues from there;
 * repeating a step is safe. Blocks; for one thread.
 */
final class SubtreeRelocation {
  /** The maximum wait for a queue to pause. A queue never pauses if its instances disagree. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private static final Logger log = LoggerFactory.getLogger(SubtreeRelocation.class);

  private final QueueCommand command;
  private final long number;
  private final List<String> names;
  private final InstanceSet set;
  private final QueueStore queueStore;
  private final ZooKeeper admin;
  private final IntFunction<QueueReplica> replicas;
  private final Executor thread;
  private final SubtreeMove move;
  private int version;

  /**
   * @param names the names of the instances, in order
   * @param set all instances
   */
  SubtreeRelocation(
      QueueCommand command,
      long number,
      List<String> names,
      InstanceSet set,
      QueueStore queueStore,
      ZooKeeper admin,
      IntFunction<QueueReplica> replicas,
      Executor thread) {
    this.command = command;
    this.number = number;
    this.names = names;
    this.set = set;
    this.queueStore = queueStore;
    this.admin = admin;
    this.replicas = replicas;
    this.thread = thread;
    this.move =
        new SubtreeMove(
            command.movedPath(),
            command.movedTo(),
            queueStore.holder(number),
            SubtreeMove.Phase.COPYING);
  }

  /**
   * Begins the move, or continues a move that another leader has begun.
   *
   * @return the reason why the move had no effect; empty if it took place
   * @throws KeeperException if an ensemble could not be asked; another attempt is required
   */
  String run() throws InterruptedException, KeeperException {
    FlatteningEpoch kept = read();
    SubtreeMove begun = kept.move();
    SubtreeMove.Phase phase =
        begun != null && begun.command().equals(move.command()) ? begun.phase() : null;
    if (phase == SubtreeMove.Phase.DONE) {
      return "";
    }
    if (phase == SubtreeMove.Phase.CLEANING) {
      return finish(kept);
    }
    String mistake = mistake();
    if (!mistake.isEmpty()) {
      return mistake;
    }
    Flattening next;
    try {
      next = kept.behind(move, names);
      if (!FlatteningText.read(FlatteningText.write(next), names).equals(next)) {
        return "the text of a flattening cannot express this path";
      }
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    if (next.equals(kept.flattening())) {
      return "";
    }
    if (phase == null) {
      kept = kept.beginning(move);
      write(kept);
    }
    String unrest = standStill();
    if (!unrest.isEmpty()) {
      unlock(kept.number());
      write(kept.withoutMove());
      return unrest;
    }
    lock();
    var copying = new SubtreeCopier(move.path(), kept.flattening(), next, set, this::at);
    try {
      copying.copy();
    } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException e) {
      throw e; // Another attempt may succeed. Any other failure would recur.
    } catch (SubtreeCopier.Refused | KeeperException | RuntimeException e) {
      abandon(copying, kept);
      return String.valueOf(e.getMessage());
    }
    kept = kept.moved(names);
    write(kept);
    return finish(kept);
  }

  /** The reason why the path can never be moved; empty if it can. */
  private String mistake() {
    try {
      PathUtils.validatePath(move.path());
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    return ZooFencePaths.mayHide(move.path()) || ZooFencePaths.hidden(move.path())
        ? "the root and the znodes of ZooFence itself must be held by all instances"
        : "";
  }

  private void abandon(SubtreeCopier copying, FlatteningEpoch kept)
      throws InterruptedException, KeeperException {
    try {
      copying.clean(kept.flattening());
    } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException e) {
      throw e; // Another attempt may succeed. Any other failure would recur.
    } catch (SubtreeCopier.Refused | KeeperException | RuntimeException e) {
      log.warn("Unused copies remain; {}: {}", move.path(), e.getMessage());
    }
    unlock(kept.number());
    write(kept.withoutMove());
  }

  private SubtreeCopier.Site at(int instance) {
    return new SubtreeCopier.Site(replicas.apply(instance), command, thread);
  }

  private String finish(FlatteningEpoch moved) throws InterruptedException, KeeperException {
    unlock(moved.number());
    Flattening now = moved.flattening();
    try {
      new SubtreeCopier(move.path(), now, now, set, this::at).clean(now);
    } catch (SubtreeCopier.Refused e) {
      write(moved.ended());
      return "the subtree was moved, but its former copies could not all be "
          + "removed: "
          + e.getMessage();
    }
    write(moved.ended());
    return "";
  }

  private FlatteningEpoch read() throws InterruptedException, KeeperException {
    admin.sync(ZooFencePaths.FLATTENING);
    var stat = new Stat();
    byte[] data = admin.getData(ZooFencePaths.FLATTENING, false, stat);
    version = stat.getVersion();
    return FlatteningEpoch.read(data, names);
  }

  private void write(FlatteningEpoch epoch) throws InterruptedException, KeeperException {
    version = admin.setData(ZooFencePaths.FLATTENING, epoch.bytes(), version).getVersion();
  }

  /**
   * Pauses all other queues, larger sets first, so that no two commands deadlock.
   *
   * @return the reason why a queue does not pause; empty if all are paused
   */
  private String standStill() throws InterruptedException, KeeperException {
    Set<InstanceSet> standing = new HashSet<>(Set.of(set));
    for (List<InstanceSet> left = others(standing); !left.isEmpty(); left = others(standing)) {
      InstanceSet next = left.get(0);
      int smallest = standing.stream().mapToInt(InstanceSet::size).min().orElseThrow();
      if (next.size() > smallest) {
        return "a queue was created meanwhile; request the move again";
      }
      try {
        BlockingBridge.<Boolean>on(
            thread, then -> queueStore.lock(next, number, () -> then.accept(true)), LONGEST_WAIT);
      } catch (TimeoutException e) {
        return "the queue of " + next + " did not become idle within " + LONGEST_WAIT;
      }
      standing.add(next);
    }
    return "";
  }

  private List<InstanceSet> others(Set<InstanceSet> standing)
      throws InterruptedException, KeeperException {
    return admin.getChildren(ZooFencePaths.QUEUES, false).stream()
        .map(queue -> new InstanceSet(Long.parseUnsignedLong(queue, 16)))
        .filter(queue -> !standing.contains(queue))
        .sorted(Comparator.comparingInt(InstanceSet::size).reversed())
        .toList();
  }

  private void lock() throws InterruptedException {
    List<InstanceLocks.Lock> wanted =
        List.of(new InstanceLocks.Lock(move.command(), true, move.path()));
    for (int instance : set.numbers()) {
      BlockingBridge.<Boolean>on(
          thread,
          then ->
              replicas
                  .apply(instance)
                  .guard(
                      locks -> locks.with(wanted),
                      locks -> !locks.meet(wanted),
                      List.of(),
                      () -> then.accept(true)));
    }
  }

  /**
   * Releases the locks, and writes at each instance the flattening epoch by which it is used from
   * now on.
   */
  private void unlock(int epoch) throws InterruptedException {
    byte[] number = Integer.toString(epoch).getBytes(StandardCharsets.UTF_8);
    for (int instance : set.numbers()) {
      BlockingBridge.<Boolean>on(
          thread,
          then ->
              replicas
                  .apply(instance)
                  .guard(
                      locks -> locks.without(move.command()),
                      locks -> true,
                      List.of(Op.setData(ZooFencePaths.EPOCH, number, -1)),
                      () -> then.accept(true)));
    }
  }
}
