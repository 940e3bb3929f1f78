package io.ensemble.cache.quorum;

import io.ensemble.cache.SiteRepair.MissedKeyCount;
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

  private static final class KeysOfSite {
    private final Set<Bytes> keys = new LinkedHashSet<>();
    private long bytes;
    private boolean hasMoreKeys;
  }

  private final List<KeysOfSite> sites = new ArrayList<>();

  public MissedKeys(int sites) {
    for (int i = 0; i < sites; i++) {
      this.sites.add(new KeysOfSite());
    }
  }

  /** Records that {@code site} may lack a write of {@code key}. */
  public void add(int site, Bytes key) {
    KeysOfSite siteKeys = sites.get(site);
    synchronized (siteKeys) {
      if (siteKeys.keys.contains(key)) {
        return;
      }
      if (siteKeys.keys.size() >= MOST_KEYS || siteKeys.bytes + key.size() > MOST_BYTES) {
        siteKeys.hasMoreKeys = true;
        return;
      }
      siteKeys.keys.add(key);
      siteKeys.bytes += key.size();
    }
  }

  /** The keys recorded for {@code site}. */
  public MissedKeyCount of(int site) {
    KeysOfSite siteKeys = sites.get(site);
    synchronized (siteKeys) {
      return new MissedKeyCount(siteKeys.keys.size(), siteKeys.hasMoreKeys);
    }
  }

  /** Takes up to {@code maxKeys} keys out, the oldest first. */
  public List<Bytes> take(int site, int maxKeys) {
    KeysOfSite siteKeys = sites.get(site);
    List<Bytes> takenKeys = new ArrayList<>();
    synchronized (siteKeys) {
      Iterator<Bytes> oldest = siteKeys.keys.iterator();
      while (oldest.hasNext() && takenKeys.size() < maxKeys) {
        Bytes key = oldest.next();
        oldest.remove();
        siteKeys.bytes -= key.size();
        takenKeys.add(key);
      }
    }
    return takenKeys;
  }

  /** Records that the site misses further keys, which are not recorded. */
  public void more(int site) {
    KeysOfSite siteKeys = sites.get(site);
    synchronized (siteKeys) {
      siteKeys.hasMoreKeys = true;
    }
  }

  /**
   * Clears the record of a site that is about to be compared; returns whether the record was not
   * empty.
   */
  public boolean forget(int site) {
    KeysOfSite siteKeys = sites.get(site);
    synchronized (siteKeys) {
      boolean hadKeys = siteKeys.hasMoreKeys || !siteKeys.keys.isEmpty();
      siteKeys.keys.clear();
      siteKeys.bytes = 0;
      siteKeys.hasMoreKeys = false;
      return hadKeys;
    }
  }
}
