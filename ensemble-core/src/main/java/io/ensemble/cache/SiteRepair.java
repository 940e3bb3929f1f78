package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletionStage;

/**
 * Brings a site of a cache up to date that was away for some time and kept its older entries. Until
 * its key is written again, a write of that time is held by the other sites only. All calls may be
 * repeated, and several processes may repair at the same time.
 */
public interface SiteRepair {

  /**
   * Keys written by this process that a site lacks, as far as this process has recorded them.
   *
   * @param keys how many keys are recorded
   * @param more whether further keys were not recorded, so that only a comparison finds them
   */
  record MissedKeyCount(int keys, boolean more) {}

  /** Whether this process may repair a site; with a single writer, only the writer may. */
  default boolean canRepair() {
    return true;
  }

  /** The writes that {@code site} has missed. Sends no request. */
  MissedKeyCount missed(String site);

  /**
   * Copies the recorded keys to {@code site}. Keys that cannot be copied are recorded again. About
   * four round trips a key, several keys at a time.
   *
   * @return how many keys were copied
   */
  CompletionStage<Long> repair(String site, Deadline deadline);

  /**
   * Compares all keys of {@code site} with those of enough other sites that no acknowledged write
   * is missed, and copies the differences to the site. Reads every entry at the site and at those
   * other sites. Clears the recorded keys.
   *
   * @param keysPerSecond the highest number of keys compared in a second
   * @return how many keys differed. Fails with {@link io.ensemble.QuorumUnavailableException} when
   *     too few sites answer; the recorded keys are then kept
   */
  CompletionStage<Long> compare(String site, int keysPerSecond, Deadline deadline);
}
