package io.ensemble.cache.weak.replica;

import io.ensemble.site.SiteStore;
import org.jspecify.annotations.Nullable;

/**
 * The state of one site at one moment, as far as known. Immutable: a {@link WeakSite} replaces one
 * state by the next.
 *
 * @param knownStore the store that was used last; null before the first
 * @param filling the new store that gets copies but is not read from; null if there is none
 * @param down whether the site seems to be down
 * @param failures in a row
 * @param repairBacklog the writes that the site may lack
 */
record SiteState(
    @Nullable SiteStore knownStore,
    @Nullable SiteStore filling,
    boolean down,
    int failures,
    RepairBacklog repairBacklog) {

  /** Failures in a row after which a slow site counts as down. */
  private static final int FAILURES_UNTIL_DOWN = 3;

  static final SiteState NEW = new SiteState(null, null, false, 0, RepairBacklog.NONE);

  /** Whether callers should prefer this site to others. */
  boolean isUsable() {
    return !down && filling == null;
  }

  /** Another store than before means that the site lost its memory. */
  SiteState withStore(SiteStore store) {
    if (store == knownStore) {
      return this;
    }
    RepairBacklog newBacklog = knownStore == null ? repairBacklog : repairBacklog.withLostMemory();
    return new SiteState(store, null, down, failures, newBacklog);
  }

  SiteState filling(@Nullable SiteStore newStore) {
    return new SiteState(knownStore, newStore, down, failures, repairBacklog);
  }

  SiteState answered() {
    return new SiteState(knownStore, filling, false, 0, repairBacklog);
  }

  /** Records a failure that counts; {@code isGone} if one such failure suffices. */
  SiteState failed(boolean isGone) {
    int consecutiveFailures = failures + 1;
    boolean isNowDown = down || isGone || consecutiveFailures >= FAILURES_UNTIL_DOWN;
    return new SiteState(knownStore, filling, isNowDown, consecutiveFailures, repairBacklog);
  }

  SiteState withBacklog(RepairBacklog newBacklog) {
    return new SiteState(knownStore, filling, down, failures, newBacklog);
  }
}
