package io.ensemble;

import io.ensemble.cache.face.CacheFaces;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import java.util.List;

/**
 * A cache that a manager has open.
 *
 * @param stored the definition that it was opened with
 * @param handles its stores
 */
record OpenedCache(StoredDefinition stored, CacheFaces faces, List<SiteHandle> handles) {

  /** Lets the handle of {@code site} look for the store that {@code now} names. */
  void renew(StoredDefinition now, String site) {
    handles.stream().filter(handle -> handle.site().equals(site)).forEach(h -> h.renew(now));
  }
}
