package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;

/** A queue that stands still while a command of a larger set changes what its set holds. */
final class QueuePause {
  private final InstanceSet set;
  private final int edition;
  private final QueueStore queueStore;
  private final LeaderHost leaderHost;
  private final QueueExecution execution;
  private final Consumer<Runnable> learn;

  /**
   * @param edition by which the queue is led
   * @param learn reads anew what the larger set may have changed, then runs what it is given
   */
  QueuePause(
      InstanceSet set,
      int edition,
      QueueStore queueStore,
      LeaderHost leaderHost,
      QueueExecution execution,
      Consumer<Runnable> learn) {
    this.set = set;
    this.edition = edition;
    this.queueStore = queueStore;
    this.leaderHost = leaderHost;
    this.execution = execution;
    this.learn = learn;
  }

  /** Stands still until the command for which this one asks for it has ended. */
  void begin(int instance, long number, QueueCommand command) {
    if (instance == set.canonical()) {
      queueStore.stand(
          command.lockedFor(), () -> leaderHost.latest(now -> end(number, now.number())));
    }
  }

  /** What waits behind was sorted by the edition that the leader goes by. */
  private void end(long number, int now) {
    if (now == edition) {
      learn.accept(() -> stoodStill(number));
    } else {
      leaderHost.anew();
    }
  }

  private void stoodStill(long number) {
    InstanceResult idle = new InstanceResult.Refused(List.of(Code.NONODE.intValue()));
    set.numbers().forEach(instance -> execution.answered(instance, number, idle));
  }
}
