package io.ensemble.objects.protocol;

import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.StateLocation;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that was not there when it was wanted. As a rule the root has come to refer to another
 * one; if it still refers to this one, somebody has removed it.
 */
final class MissingSnapshot {

  private static final int TIMES = 3;

  /** For so long a store may show less than it has, while its nodes come and go. */
  private static final long LONG_NANOS = 1_000_000_000;

  private @Nullable UUID snapshot;
  private boolean wanted;
  private int times;
  private long since;

  /** The root has been looked at. */
  void looked(ObjectRoot root) {
    wanted =
        root.body() instanceof StateLocation.Stored stored && stored.snapshot().equals(snapshot);
  }

  /**
   * It was not there.
   *
   * @return whether it never will be: for long, roots have referred to it that were looked at after
   *     it was missed
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
