package io.ensemble.near;

import io.ensemble.EnsembleCache;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;

/** Opens near caches with a planted error. */
public final class BuggyNearCache {

  private BuggyNearCache() {}

  /**
   * Opens a near cache with this error.
   *
   * @param isDeaf whether a lazy near cache ignores all reports
   */
  public static <K, V> NearCache<K, V> open(
      EnsembleCache<K, V> cache,
      NearCacheSettings settings,
      boolean isDeaf,
      NearBug bug,
      Scheduler scheduler) {
    return NearCache.open(
        cache,
        settings,
        new NearEntries(settings) {
          @Override
          boolean isTooOld(NearEntry entry, NearTime now) {
            return bug != NearBug.IGNORES_AGE && super.isTooOld(entry, now);
          }

          @Override
          boolean concerns(Bytes key) {
            return !isDeaf && super.concerns(key);
          }

          @Override
          boolean mayKeep(boolean isCurrent, boolean isAgreed) {
            return super.mayKeep(isCurrent || bug == NearBug.KEEPS_CONCURRENT_RESULTS, isAgreed);
          }

          @Override
          NearTime asOf(NearTime start) {
            return bug == NearBug.COUNTS_AGE_FROM_THE_END
                ? NearTime.now(scheduler)
                : super.asOf(start);
          }
        });
  }
}
