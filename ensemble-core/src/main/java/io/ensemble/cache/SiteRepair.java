package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletionStage;

/**
 * Brings a site of a cache up to date which was away for some time and kept what it had: what was
 * written meanwhile is held by the other sites only, until its key is written again. All may be
 * repeated, and done by several processes at once.
 */
public interface SiteRepair {

  /**
   * What this process has written that a site lacks, as far as it knows.
   *
   * @param keys how many are remembered
   * @param more whether there were more than are remembered: only a comparison finds those
   */
  record Missed(int keys, boolean more) {}

  /**
   * Whether this process may bring anything to a site: where there is one writer, only that may.
   */
  default boolean mayMend() {
    return true;
  }

  /** What {@code site} has missed. Asks nobody. */
  Missed missed(String site);

  /**
   * Brings the remembered keys to {@code site}; those that cannot be are remembered again. Some
   * four round trips a key, several keys at once.
   *
   * @return how many were brought there
   */
  CompletionStage<Long> mend(String site, Deadline deadline);

  /**
   * Compares all keys of {@code site} with those of so many others that no acknowledged write is
   * overlooked, and brings there what it lacks. Reads every entry at the site and at those others.
   * Forgets what was remembered before.
   *
   * @param keysPerSecond how many keys are compared in a second, at most
   * @return how many keys differed. Fails with {@link io.ensemble.QuorumUnavailableException} when
   *     too few sites answer, and then what was remembered is not forgotten
   */
  CompletionStage<Long> compare(String site, int keysPerSecond, Deadline deadline);
}
