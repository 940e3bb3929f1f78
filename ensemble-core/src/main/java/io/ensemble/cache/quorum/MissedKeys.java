package io.ensemble.cache.quorum;

import io.ensemble.cache.SiteRepair.Missed;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Keys that were written while a site did not answer, for each site of a cache. Bounded: of what
 * comes when a site's room is full only that there was more is remembered. Thread-safe.
 */
public final class MissedKeys {

  /** How many keys are remembered of a site. */
  public static final int MOST_KEYS = 10_000;

  /** How many bytes of keys are remembered of a site. */
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

  /** {@code site} may lack what was written under {@code key}. */
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

  /** What is remembered of {@code site}. */
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

  /** There is more than is remembered. */
  public void more(int site) {
    OfSite of = sites.get(site);
    synchronized (of) {
      of.more = true;
    }
  }

  /** Forgets all of a site, because it is about to be compared; whether there was anything. */
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
