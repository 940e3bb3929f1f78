package io.ensemble;

import io.ensemble.stamp.Stamp;
import java.util.List;

/**
 * Acknowledged writes of this process that a fail-over may have dropped (SWMR with {@link
 * Acknowledgement#PRIMARY}): those that were in the {@link CopyWindow} when their epoch ended.
 *
 * <p>They are reported twice. The first report, {@link Fate#UNKNOWN}, comes when this process
 * learns that the epoch is over, before it reads or writes anything in the next one. The second
 * report has each write with another fate. This report comes when a later epoch is whole ({@link
 * PrimaryTerm#whole}), or when this process has written the key again. A process that closes the
 * cache before that sends no second report. A process that dies reports nothing; then only the
 * bounds of the window hold.
 *
 * @param cache the cache's name
 * @param epoch in which they were acknowledged
 * @param fate the fate of all of them
 * @param writes those of one key in the order in which they were made
 * @param <K> the keys' type
 */
public record InDoubtWrites<K>(String cache, long epoch, Fate fate, List<Write<K>> writes) {

  public InDoubtWrites {
    writes = List.copyOf(writes);
  }

  /** The fate of a write. */
  public enum Fate {
    /** The write may be there, may reappear, or may be lost; readers may see either meanwhile. */
    UNKNOWN,
    /**
     * Nothing is lost: the write took effect, or a later write of its key by this process in the
     * same epoch did. The outcome of that later write may be unknown.
     */
    KEPT,
    /**
     * The write is permanently gone, as if it had never been made. A reader may have read it
     * before.
     */
    LOST,
    /**
     * Another process has since written or removed the key, on top of this write or of an earlier
     * value. A later write by this process never causes this fate: the value that such a write
     * replaced is known.
     */
    OVERWRITTEN
  }

  /**
   * A write in doubt.
   *
   * @param stamp as in its {@link WriteOutcome.Applied}
   */
  public record Write<K>(K key, Stamp stamp) {}
}
