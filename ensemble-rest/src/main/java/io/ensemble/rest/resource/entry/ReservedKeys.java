package io.ensemble.rest.resource.entry;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.tree.runtime.PageStore;

/** Keys of an MWMR cache under which counters, locks, versions and trees are stored. */
final class ReservedKeys {

  private ReservedKeys() {}

  /**
   * Refuses to write such a key as an entry. Otherwise a writer of entries could take a lock from
   * its holder, set a counter, or revert changes that require an administrator.
   *
   * @throws ProblemException if the key is reserved
   */
  static void refuse(EnsembleCache<Object, Object> cache, String key) {
    if (isReserved(cache, key)) {
      throw Problem.invalid(
          "key",
          "a key that is not reserved for counters, locks, versions and trees of this cache",
          key);
    }
  }

  static boolean isReserved(EnsembleCache<Object, Object> cache, String key) {
    return (ObjectKeys.isOfObject(key) || PageStore.isOfTree(key))
        && locatePart(cache, key).definition().mode() == Mode.MWMR;
  }

  private static EnsembleCache<Object, Object> locatePart(
      EnsembleCache<Object, Object> cache, String key) {
    EnsembleCache<Object, Object> part = cache;
    while (part instanceof DistributedEnsembleCache<Object, Object> distributed) {
      part = distributed.locate(key);
    }
    return part;
  }
}
