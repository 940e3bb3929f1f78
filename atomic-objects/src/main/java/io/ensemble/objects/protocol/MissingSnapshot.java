package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that was missing when it was read. Usually the root already refers to another
 * snapshot. If the root still refers to this one, a process has removed it.
 */
final class MissingSnapshot {

  private static final int TIMES = 3;

  /** For this time a store may show fewer entries than it has, while its nodes join and leave. */
  private static final long LONG_NANOS = 1_000_000_000;

  private @Nullable UUID snapshot;
  private boolean wanted;
  private int times;
  private long since;

  /** A root was read. */
  void looked(ObjectRoot root) {
    wanted =
        root.body() instanceof StateLocation.Stored stored && stored.snapshot().equals(snapshot);
  }

  /**
   * The snapshot was missing again.
   *
   * @return whether the snapshot is lost: for a long time, roots that were read after it was found
   *     missing have referred to it
   */
  boolean again(UUID name, long now) {
    if (!wanted || !name.equals(snapshot)) {
      snapshot = name;
      since = now;
      times = 0;
    }
    wanted = false;
    times++;
    return times >= TIMES && now - since >= LONG_NANOS;
  }
}
