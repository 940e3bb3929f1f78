package io.ensemble.near;

import io.ensemble.EnsembleCache;
import io.ensemble.schedule.Scheduler;

/** Opens near caches with a planted error. */
public final class BuggyNearCache {

  private BuggyNearCache() {}

  /** Opens a near cache with this error. */
  public static <K, V> NearCache<K, V> open(
      EnsembleCache<K, V> cache, NearCacheSettings settings, NearBug bug, Scheduler scheduler) {
    return NearCache.open(
        cache,
        settings,
        new NearEntries(settings) {
          @Override
          boolean isTooOld(NearEntry entry, NearTime now) {
            return bug != NearBug.IGNORES_AGE && super.isTooOld(entry, now);
          }

          @Override
          boolean mayKeep(boolean isAlone, boolean isReported) {
            return super.mayKeep(isAlone || bug == NearBug.KEEPS_CONCURRENT_RESULTS, isReported);
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
