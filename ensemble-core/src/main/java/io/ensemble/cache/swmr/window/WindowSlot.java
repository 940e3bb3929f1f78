package io.ensemble.cache.swmr.window;

import io.ensemble.primary.CopyPosition;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;

/** One write's place in the window, taken before it is sent. Identity counts. */
public final class WindowSlot {

  /**
   * The write, once the primary has it.
   *
   * @param replaced the stamp of what it took the place of; {@link Stamp#NONE} for nothing
   * @param acknowledged whether its caller was told so
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

  /** When it was taken. */
  long sinceNanos() {
    return sinceNanos;
  }

  /** The primary has the write; copying it ends the place. */
  public void use() {
    used = true;
  }

  public boolean isUsed() {
    return used;
  }
}
