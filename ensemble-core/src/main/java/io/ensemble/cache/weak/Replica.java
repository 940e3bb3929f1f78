package io.ensemble.cache.weak;

import io.ensemble.site.SiteStore;
import java.util.Optional;

/** One site's copy of a cache, as the engine is given it. Thread-safe; does not block. */
public interface Replica {

  /** The site's name. */
  String site();

  /**
   * The store to use now: the same instance as long as the site keeps its memory, another one for
   * another incarnation, empty while the site must not be used. An incarnation that replaces a lost
   * one should be given here after {@link WeakEngine#refill} only.
   */
  Optional<SiteStore> store();
}
