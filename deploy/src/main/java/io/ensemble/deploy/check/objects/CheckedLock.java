package io.ensemble.deploy.check.objects;

import io.ensemble.objects.ReadOnly;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Held by one owner at a time, or by none. */
public class CheckedLock {
  private @Nullable Long owner;

  /** Held by nobody. */
  public CheckedLock() {}

  /** Who holds it; null for nobody. */
  @ReadOnly
  public @Nullable Long owner() {
    return owner;
  }

  /** Takes it if nobody holds it. */
  public boolean acquire(long by) {
    if (owner != null) {
      return false;
    }
    owner = by;
    return true;
  }

  /** Gives it back, for whoever holds it, or has held it for too long. */
  public boolean release(long by) {
    if (!Objects.equals(owner, by)) {
      return false;
    }
    owner = null;
    return true;
  }
}
