package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import org.jspecify.annotations.Nullable;

/** Where a leader's commands come from, and where their outcomes go. */
interface QueueStore extends AutoCloseable {
  /**
   * Tells a client how its command ended, and takes the command out of the queue: both or neither.
   *
   * @param plan null if it was refused without one
   * @param then is run when it is done
   */
  void finish(
      long number,
      QueueCommand command,
      @Nullable CommandPlan plan,
      CommandOutcome outcome,
      Runnable then);

  /** Takes out what is no command; whoever it was is told so, as far as the bytes tell who. */
  void discard(long number, byte[] bytes);

  /** An ephemeral znode is gone: its session's record of it goes, too, before anybody is told. */
  void free(ZnodeOwner former, String path);

  /**
   * Makes the queue of a smaller set stand still until a command is finished.
   *
   * @param then is run when it does
   */
  void lock(InstanceSet smaller, long number, Runnable then);

  /**
   * Stands still for a command of a larger set.
   *
   * @param other the path of that command
   * @param then is run when that command is finished, or if it was
   */
  void stand(String other, Runnable then);

  /**
   * Says how a move ended, and takes its command out of the queue.
   *
   * @param refusal why it had no effect; empty if it took place
   * @param then is run when it is done
   */
  void report(long number, String refusal, Runnable then);

  /** The name under which a command locks. */
  String holder(long number);

  /** The leader is over: nothing is waited for any more. */
  @Override
  void close();
}
