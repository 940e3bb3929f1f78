package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.List;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;

/** A queue that stands still while a command of a larger set changes what its set holds. */
final class Standing {
  private final InstanceSet set;
  private final int edition;
  private final Desk desk;
  private final Office office;
  private final Execution execution;
  private final Consumer<Runnable> learn;

  /**
   * @param edition by which the queue is led
   * @param learn reads anew what the larger set may have changed, then runs what it is given
   */
  Standing(
      InstanceSet set,
      int edition,
      Desk desk,
      Office office,
      Execution execution,
      Consumer<Runnable> learn) {
    this.set = set;
    this.edition = edition;
    this.desk = desk;
    this.office = office;
    this.execution = execution;
    this.learn = learn;
  }

  /** Stands still until the command for which this one asks for it has ended. */
  void begin(int instance, long number, Command command) {
    if (instance == set.canonical()) {
      desk.stand(command.lockedFor(), () -> office.latest(now -> end(number, now.number())));
    }
  }

  /** What waits behind was sorted by the edition that the leader goes by. */
  private void end(long number, int now) {
    if (now == edition) {
      learn.accept(() -> stoodStill(number));
    } else {
      office.anew();
    }
  }

  private void stoodStill(long number) {
    Result idle = new Result.Refused(List.of(Code.NONODE.intValue()));
    set.numbers().forEach(instance -> execution.answered(instance, number, idle));
  }
}
