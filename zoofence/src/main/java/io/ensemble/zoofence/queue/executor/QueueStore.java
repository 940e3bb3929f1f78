package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import org.jspecify.annotations.Nullable;

/** The source of a leader's commands and the destination of their outcomes. */
interface QueueStore extends AutoCloseable {
  /**
   * Sends a command's outcome to its client, and removes the command from the queue: both or
   * neither.
   *
   * @param plan null if the command was refused without a plan
   * @param callback is run when both are done
   */
  void finish(
      long number,
      QueueCommand command,
      @Nullable CommandPlan plan,
      CommandOutcome outcome,
      Runnable callback);

  /**
   * Removes an entry that is not a valid command. If the bytes name a client, the client receives
   * the refusal.
   */
  void discard(long number, byte[] bytes);

  /**
   * Removes the session's record of an ephemeral znode that is gone, before any outcome is sent.
   */
  void removeRecord(ZnodeOwner owner, String path);

  /**
   * Pauses the queue of a smaller set until a command is finished.
   *
   * @param callback is run when the queue is paused
   */
  void lock(InstanceSet smallerSet, long number, Runnable callback);

  /**
   * Pauses this queue for a command of a larger set.
   *
   * @param commandPath the path of that command
   * @param callback is run when that command is finished, or immediately if it was finished before
   */
  void pauseFor(String commandPath, Runnable callback);

  /**
   * Reports how a move ended, and removes its command from the queue.
   *
   * @param refusal the reason why the move had no effect; empty if the move took place
   * @param callback is run when both are done
   */
  void report(long number, String refusal, Runnable callback);

  /** The name under which a command locks and moves; never that of another command. */
  String holder(long number);

  /** Ends the store with its leader: no wait continues. */
  @Override
  void close();
}
