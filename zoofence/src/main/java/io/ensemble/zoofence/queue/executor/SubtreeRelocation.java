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
  private final Executor executor;
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
      Executor executor) {
    this.command = command;
    this.number = number;
    this.names = names;
    this.set = set;
    this.queueStore = queueStore;
    this.admin = admin;
    this.replicas = replicas;
    this.executor = executor;
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
    FlatteningEpoch epoch = readEpoch();
    SubtreeMove recordedMove = epoch.move();
    SubtreeMove.Phase phase =
        recordedMove != null && recordedMove.command().equals(move.command())
            ? recordedMove.phase()
            : null;
    if (phase == SubtreeMove.Phase.DONE) {
      return "";
    }
    if (phase == SubtreeMove.Phase.CLEANING) {
      return finish(epoch);
    }
    String pathError = findPathError(move);
    if (!pathError.isEmpty()) {
      return pathError;
    }
    Flattening target;
    try {
      target = findTarget(epoch, move, names);
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    if (target.equals(epoch.flattening())) {
      return "";
    }
    if (phase == null) {
      epoch = epoch.beginning(move);
      writeEpoch(epoch);
    }
    String pauseError = pauseQueues();
    if (!pauseError.isEmpty()) {
      unlockInstances(epoch.number());
      writeEpoch(epoch.withoutMove());
      return pauseError;
    }
    lockInstances();
    var copier = new SubtreeCopier(move.path(), epoch.flattening(), target, set, this::siteAt);
    try {
      copier.copy();
    } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException e) {
      throw e; // Another attempt may succeed. Any other failure would recur.
    } catch (SubtreeCopier.Refused | KeeperException | RuntimeException e) {
      abandon(copier, epoch);
      return String.valueOf(e.getMessage());
    }
    epoch = epoch.moved(names);
    writeEpoch(epoch);
    return finish(epoch);
  }

  /**
   * The flattening after the move.
   *
   * @throws IllegalArgumentException if there can be no such flattening
   */
  static Flattening findTarget(FlatteningEpoch epoch, SubtreeMove move, List<String> names) {
    Flattening target = epoch.behind(move, names);
    if (!FlatteningText.read(FlatteningText.write(target), names).equals(target)) {
      throw new IllegalArgumentException("the text of a flattening cannot express this path");
    }
    return target;
  }

  /** The reason why the path can never be moved; empty if it can. */
  static String findPathError(SubtreeMove move) {
    try {
      PathUtils.validatePath(move.path());
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    return ZooFencePaths.mayHide(move.path()) || ZooFencePaths.hidden(move.path())
        ? "the root and the znodes of ZooFence itself must be held by all instances"
        : "";
  }

  private void abandon(SubtreeCopier copier, FlatteningEpoch epoch)
      throws InterruptedException, KeeperException {
    try {
      copier.removeLeftovers(epoch.flattening());
    } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException e) {
      throw e; // Another attempt may succeed. Any other failure would recur.
    } catch (SubtreeCopier.Refused | KeeperException | RuntimeException e) {
      log.warn("Unused copies remain; {}: {}", move.path(), e.getMessage());
    }
    unlockInstances(epoch.number());
    writeEpoch(epoch.withoutMove());
  }

  private SubtreeCopier.Site siteAt(int instance) {
    return new SubtreeCopier.Site(replicas.apply(instance), command, executor);
  }

  private String finish(FlatteningEpoch epoch) throws InterruptedException, KeeperException {
    unlockInstances(epoch.number());
    Flattening flattening = epoch.flattening();
    try {
      new SubtreeCopier(move.path(), flattening, flattening, set, this::siteAt)
          .removeLeftovers(flattening);
    } catch (SubtreeCopier.Refused e) {
      writeEpoch(epoch.ended());
      return "the subtree was moved, but its former copies could not all be "
          + "removed: "
          + e.getMessage();
    }
    writeEpoch(epoch.ended());
    return "";
  }

  private FlatteningEpoch readEpoch() throws InterruptedException, KeeperException {
    admin.sync(ZooFencePaths.FLATTENING);
    var stat = new Stat();
    byte[] data = admin.getData(ZooFencePaths.FLATTENING, false, stat);
    version = stat.getVersion();
    return FlatteningEpoch.read(data, names);
  }

  private void writeEpoch(FlatteningEpoch epoch) throws InterruptedException, KeeperException {
    version = admin.setData(ZooFencePaths.FLATTENING, epoch.bytes(), version).getVersion();
  }

  /**
   * Pauses all other queues, larger sets first, so that no two commands deadlock.
   *
   * @return the reason why a queue does not pause; empty if all are paused
   */
  private String pauseQueues() throws InterruptedException, KeeperException {
    Set<InstanceSet> pausedSets = new HashSet<>(Set.of(set));
    for (List<InstanceSet> remainingSets = listUnpausedSets(pausedSets);
        !remainingSets.isEmpty();
        remainingSets = listUnpausedSets(pausedSets)) {
      InstanceSet queueSet = remainingSets.get(0);
      int smallestSize = pausedSets.stream().mapToInt(InstanceSet::size).min().orElseThrow();
      if (queueSet.size() > smallestSize) {
        return "a queue was created meanwhile; request the move again";
      }
      try {
        BlockingBridge.<Boolean>call(
            executor,
            then -> queueStore.lock(queueSet, number, () -> then.accept(true)),
            LONGEST_WAIT);
      } catch (TimeoutException e) {
        return "the queue of " + queueSet + " did not become idle within " + LONGEST_WAIT;
      }
      pausedSets.add(queueSet);
    }
    return "";
  }

  private List<InstanceSet> listUnpausedSets(Set<InstanceSet> pausedSets)
      throws InterruptedException, KeeperException {
    return admin.getChildren(ZooFencePaths.QUEUES, false).stream()
        .map(queue -> new InstanceSet(Long.parseUnsignedLong(queue, 16)))
        .filter(queue -> !pausedSets.contains(queue))
        .sorted(Comparator.comparingInt(InstanceSet::size).reversed())
        .toList();
  }

  private void lockInstances() throws InterruptedException {
    List<InstanceLocks.Lock> moveLocks =
        List.of(new InstanceLocks.Lock(move.command(), true, move.path()));
    for (int instance : set.numbers()) {
      BlockingBridge.<Boolean>call(
          executor,
          then ->
              replicas
                  .apply(instance)
                  .changeLocks(
                      locks -> locks.with(moveLocks),
                      locks -> !locks.hasConflict(moveLocks),
                      List.of(),
                      () -> then.accept(true)));
    }
  }

  /**
   * Releases the locks, and writes at each instance the flattening epoch by which it is used from
   * now on.
   */
  private void unlockInstances(int epoch) throws InterruptedException {
    byte[] epochBytes = Integer.toString(epoch).getBytes(StandardCharsets.UTF_8);
    for (int instance : set.numbers()) {
      BlockingBridge.<Boolean>call(
          executor,
          then ->
              replicas
                  .apply(instance)
                  .changeLocks(
                      locks -> locks.without(move.command()),
                      locks -> true,
                      List.of(Op.setData(ZooFencePaths.EPOCH, epochBytes, -1)),
                      () -> then.accept(true)));
    }
  }
}
