package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.EntryFingerprint;
import io.ensemble.site.Bytes;
import java.util.BitSet;
import java.util.Collection;

/**
 * A summary of a site's entries in fixed memory: keys fall into buckets, and each bucket is the sum
 * of its entries' fingerprints. Two sites with equal buckets hold the same entries there. With a
 * sum, an entry that a scan returns twice does not cancel out; it only causes a detailed
 * comparison. Scans must not overlap.
 */
final class SiteSummary {

  static final int BUCKETS = 1 << 15;

  private final long[] sums = new long[BUCKETS];
  private final BitSet spent = new BitSet();

  static int bucket(Bytes key) {
    return (int) (EntryFingerprint.of(key, 0) >>> 49);
  }

  /** Adds an entry, by the fingerprints of its key and of itself. */
  void add(long key, long entry) {
    sums[(int) (key >>> 49)] += entry;
  }

  /** Records that the bucket of the key holds an entry that might be purged. */
  void addSpent(Bytes key) {
    spent.set(bucket(key));
  }

  /** The buckets in which {@code sites} differ, or hold something to purge. */
  static BitSet bucketsToCompare(Collection<SiteSummary> sites, boolean purge) {
    BitSet markedBuckets = new BitSet();
    SiteSummary first = sites.iterator().next();
    for (SiteSummary site : sites) {
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        if (site.sums[bucket] != first.sums[bucket]) {
          markedBuckets.set(bucket);
        }
      }
      if (purge) {
        markedBuckets.or(site.spent);
      }
    }
    return markedBuckets;
  }
}
