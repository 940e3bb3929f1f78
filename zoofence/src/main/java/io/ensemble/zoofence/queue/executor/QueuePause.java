package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;

/** The pause of a queue while a command of a larger set changes znodes of the queue's set. */
final class QueuePause {
  private final InstanceSet set;
  private final int flatteningEpoch;
  private final QueueStore queueStore;
  private final LeaderHost leaderHost;
  private final QueueExecution execution;
  private final Consumer<Runnable> stateReader;

  /**
   * @param flatteningEpoch the number of the flattening epoch by which the queue is led
   * @param stateReader reads again the state that the larger set may have changed, then runs its
   *     argument
   */
  QueuePause(
      InstanceSet set,
      int flatteningEpoch,
      QueueStore queueStore,
      LeaderHost leaderHost,
      QueueExecution execution,
      Consumer<Runnable> stateReader) {
    this.set = set;
    this.flatteningEpoch = flatteningEpoch;
    this.queueStore = queueStore;
    this.leaderHost = leaderHost;
    this.execution = execution;
    this.stateReader = stateReader;
  }

  /** Pauses until the command that requires the pause has ended. */
  void begin(int instance, long number, QueueCommand command) {
    if (instance == set.canonical()) {
      queueStore.pauseFor(
          command.lockedFor(), () -> leaderHost.readEpoch(epoch -> end(number, epoch.number())));
    }
  }

  /**
   * Ends the pause. Commands that wait behind the pause were planned by the leader's flattening
   * epoch, so the leader restarts if the epoch has changed.
   */
  private void end(long number, int currentNumber) {
    if (currentNumber == flatteningEpoch) {
      stateReader.accept(() -> finishPause(number));
    } else {
      leaderHost.restartLeader();
    }
  }

  private void finishPause(long number) {
    InstanceResult pauseResult = new InstanceResult.Refused(List.of(Code.NONODE.intValue()));
    set.numbers().forEach(instance -> execution.recordResult(instance, number, pauseResult));
  }
}
