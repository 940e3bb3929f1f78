package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.flattening.Flattening;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a leader knows of the znodes of its queue. */
record Known(Numbering numbering, Owners owners, Counting counting, Supplier<Flattening> flattening)
    implements Plan.Tree {
  @Override
  public int nextNumber(String parent) {
    return numbering.next(parent);
  }

  @Override
  public @Nullable Ownership owner(String path) {
    return owners.of(path);
  }

  @Override
  public boolean isShared(String path) {
    return !flattening.get().holders(path).isSingle();
  }

  @Override
  public boolean takesTtl() {
    return counting.takesTtl();
  }
}
