package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.PlanInputReader;
import io.ensemble.zoofence.queue.plan.SequentialNumbering;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A leader's cached state about the znodes of its queue. */
record LeaderView(
    SequentialNumbering numbering,
    ZnodeOwners owners,
    PlanInputReader inputReader,
    Supplier<Flattening> flattening)
    implements CommandPlan.Tree {
  @Override
  public int nextNumber(String parent) {
    return numbering.takeNext(parent);
  }

  @Override
  public @Nullable ZnodeOwner owner(String path) {
    return owners.findOwner(path);
  }

  @Override
  public boolean isShared(String path) {
    return !flattening.get().holders(path).isSingle();
  }

  @Override
  public boolean isNumberReadable(String parent) {
    return inputReader.isNumberReadable(parent);
  }

  @Override
  public boolean isTtlSupported() {
    return inputReader.isTtlSupported();
  }
}
