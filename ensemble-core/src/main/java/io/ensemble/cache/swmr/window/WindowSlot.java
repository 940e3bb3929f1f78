package io.ensemble.cache.swmr.window;

import io.ensemble.primary.CopyPosition;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;

/** A write's slot in the window, taken before the write is sent. Compared by identity. */
public final class WindowSlot {

  /**
   * The write, once the primary has it.
   *
   * @param replaced the stamp of the value that the write replaced; {@link Stamp#NONE} for nothing
   * @param acknowledged whether the write was acknowledged to its caller
   */
  public record Write(
      Bytes key,
      long epoch,
      CopyPosition mark,
      Stamp stamp,
      Stamp replaced,
      boolean acknowledged) {}

  private final long sinceNanos;
  private volatile boolean used;

  WindowSlot(long sinceNanos) {
    this.sinceNanos = sinceNanos;
  }

  /** When the slot was taken. */
  long sinceNanos() {
    return sinceNanos;
  }

  /** The primary has the write; copying it frees the slot. */
  public void use() {
    used = true;
  }

  public boolean isUsed() {
    return used;
  }
}
