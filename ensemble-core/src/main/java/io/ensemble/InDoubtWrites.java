package io.ensemble;

import io.ensemble.stamp.Stamp;
import java.util.List;

/**
 * Acknowledged writes of this process that a fail-over may have dropped (SWMR with {@link
 * Acknowledgement#PRIMARY}): those that were in the {@link CopyWindow} when their epoch ended.
 *
 * <p>They are reported twice: as {@link Fate#UNKNOWN} when this process learns that the epoch is
 * over, before anything is read or written by it in the next one; and once more, each with another
 * fate, when a later epoch is whole ({@link PrimaryTerm#whole}), or this process has written the
 * key again. A process that closes the cache before that reports no more, and one that dies reports
 * nothing at all: then the bounds of the window are what can be relied on.
 *
 * @param cache the cache's name
 * @param epoch in which they were acknowledged
 * @param fate what came of all of them
 * @param writes those of one key in the order in which they were made
 * @param <K> the keys' type
 */
public record InDoubtWrites<K>(String cache, long epoch, Fate fate, List<Write<K>> writes) {

  public InDoubtWrites {
    writes = List.copyOf(writes);
  }

  /** What came of a write. */
  public enum Fate {
    /** It may be there, may come back, or may be lost; readers may see either meanwhile. */
    UNKNOWN,
    /**
     * It took effect, or a later one of its key by this process did, which followed it in its
     * epoch, though its outcome may be unknown: nothing is lost.
     */
    KEPT,
    /** It is gone for good, as if it had never been made; it may have been read before. */
    LOST,
    /**
     * Another process has written or removed the key since, on top of it or of an earlier value. A
     * later write of this process never makes it so: what that took the place of is known.
     */
    OVERWRITTEN
  }

  /**
   * One of them.
   *
   * @param stamp as in its {@link WriteOutcome.Applied}
   */
  public record Write<K>(K key, Stamp stamp) {}
}
