package io.ensemble.cache.quorum;

import io.ensemble.cache.SiteRepair.Missed;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keys that were written while a site did not answer, for each site of a cache. Bounded: when the
 * room of a site is full, further keys are recorded only as a flag. Thread-safe.
 */
public final class MissedKeys {

  /** How many keys are recorded for a site. */
  public static final int MOST_KEYS = 10_000;

  /** How many bytes of keys are recorded for a site. */
  public static final int MOST_BYTES = 1 << 20;

  private static final class OfSite {
    private final Set<Bytes> keys = new LinkedHashSet<>();
    private long bytes;
    private boolean more;
  }

  private final List<OfSite> sites = new ArrayList<>();

  public MissedKeys(int sites) {
    for (int i = 0; i < sites; i++) {
      this.sites.add(new OfSite());
    }
  }

  /** Records that {@code site} may lack a write of {@code key}. */
  public void add(int site, Bytes key) {
    OfSite of = sites.get(site);
    synchronized (of) {
      if (of.keys.contains(key)) {
        return;
      }
      if (of.keys.size() >= MOST_KEYS || of.bytes + key.size() > MOST_BYTES) {
        of.more = true;
        return;
      }
      of.keys.add(key);
      of.bytes += key.size();
    }
  }

  /** The keys recorded for {@code site}. */
  public Missed of(int site) {
    OfSite of = sites.get(site);
    synchronized (of) {
      return new Missed(of.keys.size(), of.more);
    }
  }

  /** Takes up to {@code most} keys out, the oldest first. */
  public List<Bytes> take(int site, int most) {
    OfSite of = sites.get(site);
    List<Bytes> taken = new ArrayList<>();
    synchronized (of) {
      Iterator<Bytes> oldest = of.keys.iterator();
      while (oldest.hasNext() && taken.size() < most) {
        Bytes key = oldest.next();
        oldest.remove();
        of.bytes -= key.size();
        taken.add(key);
      }
    }
    return taken;
  }

  /** Records that the site misses further keys, which are not recorded. */
  public void more(int site) {
    OfSite of = sites.get(site);
    synchronized (of) {
      of.more = true;
    }
  }

  /**
   * Clears the record of a site that is about to be compared; returns whether the record was not
   * empty.
   */
  public boolean forget(int site) {
    OfSite of = sites.get(site);
    synchronized (of) {
      boolean any = of.more || !of.keys.isEmpty();
      of.keys.clear();
      of.bytes = 0;
      of.more = false;
      return any;
    }
  }
}
