package io.ensemble.cache.swmr.copy;

import io.ensemble.cache.Payload;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Optional;

/**
 * The initial copy in stores that no process uses yet: the same at every site, and settled. The
 * copy counts as the first write of the cache's first term, which begins when a process opens the
 * cache. Every later write of that term is after it. No key has to be recovered, because every site
 * has all keys.
 */
public final class CopySeed {

  private static final CopyPosition FIRST = new CopyPosition(1, CopyPosition.FIRST_SEQUENCE);

  private CopySeed() {}

  /**
   * The stored form of a copy with that value; empty for a removed key.
   *
   * @param owner the only writer of drafts in these stores
   */
  public static Bytes of(WriterId owner, Optional<Payload> value) {
    Stamp origin = new Stamp(FIRST.sequence(), owner);
    return CopyCodec.encode(new Copy<>(FIRST, true, origin, value.orElse(null)));
  }

  /** The copies in a store, under their users' keys. */
  public static SiteStore copiesIn(SiteStore store) {
    return new CopyStore(store);
  }
}
