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
 * What a copy begins with in stores that nobody uses yet: the same at every site, settled, and the
 * first write of the cache's first term, which begins when somebody opens the cache. Every later
 * write of that term is after it, and nothing has to be recovered, for every site has all.
 */
public final class CopySeed {

  private static final CopyPosition FIRST = new CopyPosition(1, CopyPosition.FIRST_SEQUENCE);

  private CopySeed() {}

  /**
   * The stored form of a copy with that value; empty for a removed key.
   *
   * @param owner who alone puts drafts into these stores
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
