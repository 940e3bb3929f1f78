package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import org.jspecify.annotations.Nullable;

/** A store that does nothing; tests override its methods. */
class NoOpQueueStore implements QueueStore {
  @Override
  public void finish(
      long number,
      QueueCommand command,
      @Nullable CommandPlan plan,
      CommandOutcome outcome,
      Runnable callback) {}

  @Override
  public void discard(long number, byte[] bytes) {}

  @Override
  public void removeRecord(ZnodeOwner former, String path) {}

  @Override
  public void lock(InstanceSet smaller, long number, Runnable callback) {}

  @Override
  public void pauseFor(String other, Runnable callback) {}

  @Override
  public void report(long number, String refusal, Runnable callback) {}

  @Override
  public String holder(long number) {
    return "7:" + number;
  }

  @Override
  public void close() {}
}
