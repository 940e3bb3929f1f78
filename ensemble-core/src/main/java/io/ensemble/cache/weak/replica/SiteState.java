package io.ensemble.cache.weak.replica;

import io.ensemble.site.SiteStore;
import org.jspecify.annotations.Nullable;

/**
 * The state of one site at one moment, as far as known. Immutable: a {@link WeakSite} replaces one
 * state by the next.
 *
 * @param known the store that was used last; null before the first
 * @param filling the new store that gets copies but is not read from; null if there is none
 * @param down whether the site seems to be down
 * @param failures in a row
 * @param dirt the writes that the site may lack
 */
record SiteState(
    @Nullable SiteStore known,
    @Nullable SiteStore filling,
    boolean down,
    int failures,
    RepairBacklog dirt) {

  /** Failures in a row after which a slow site counts as down. */
  private static final int FAILURES_UNTIL_DOWN = 3;

  static final SiteState NEW = new SiteState(null, null, false, 0, RepairBacklog.NONE);

  /** Whether callers should prefer this site to others. */
  boolean isUsable() {
    return !down && filling == null;
  }

  /** Another store than before means that the site lost its memory. */
  SiteState with(SiteStore store) {
    if (store == known) {
      return this;
    }
    RepairBacklog after = known == null ? dirt : dirt.forgotten();
    return new SiteState(store, null, down, failures, after);
  }

  SiteState filling(@Nullable SiteStore fresh) {
    return new SiteState(known, fresh, down, failures, dirt);
  }

  SiteState answered() {
    return new SiteState(known, filling, false, 0, dirt);
  }

  /** Records a failure that counts; {@code gone} if one such failure suffices. */
  SiteState failed(boolean gone) {
    int inARow = failures + 1;
    boolean nowDown = down || gone || inARow >= FAILURES_UNTIL_DOWN;
    return new SiteState(known, filling, nowDown, inARow, dirt);
  }

  SiteState with(RepairBacklog other) {
    return new SiteState(known, filling, down, failures, other);
  }
}
