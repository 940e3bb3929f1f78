package io.ensemble.rest.resource.entry;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;

/** Entries of an MWMR cache that counters, locks and versions are kept as. */
final class ReservedKeys {

  private ReservedKeys() {}

  /**
   * Refuses to write one as an entry: whoever may would otherwise take a lock from its holder, set
   * a counter, or undo what wants an administrator.
   *
   * @throws ProblemException if it is one
   */
  static void refuse(EnsembleCache<Object, Object> cache, String key) {
    if (ObjectKeys.isOfObject(key) && partOf(cache, key).definition().mode() == Mode.MWMR) {
      throw Problem.invalid(
          "key", "one that counters, locks and versions of this cache are not kept under", key);
    }
  }

  private static EnsembleCache<Object, Object> partOf(
      EnsembleCache<Object, Object> cache, String key) {
    EnsembleCache<Object, Object> part = cache;
    while (part instanceof DistributedEnsembleCache<Object, Object> distributed) {
      part = distributed.locate(key);
    }
    return part;
  }
}
