package io.ensemble.testkit.trace;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The numbers of a trace.
 *
 * @param versions the versions of all keys, including removals
 * @param removals the versions that remove their key
 * @param payloadBytes the size of all values
 * @param meanBytes the mean size of a value
 * @param mostVersions the maximum number of versions of one key
 * @param mostVersionsKey the key with that many versions
 * @param versionsPerKey the distribution of the number of versions over the keys
 * @param least the smallest version, 0 if there is none
 * @param largest the largest version, 0 if there is none
 * @param latestReads the reads of a latest version
 * @param oldReads the reads of an old version
 * @param historyReads the reads of a list of versions
 */
public record TraceSummary(
    long keys,
    long versions,
    long removals,
    long payloadBytes,
    double meanBytes,
    long largestValueBytes,
    long mostVersions,
    String mostVersionsKey,
    List<Bin> versionsPerKey,
    long least,
    long largest,
    long latestReads,
    long oldReads,
    long historyReads) {

  /**
   * The keys with a number of versions in one range.
   *
   * @param from the least number of versions
   * @param to the greatest number of versions
   * @param share their share of all keys, 0 to 1
   */
  public record Bin(long from, long to, long keys, double share) {}

  /** Sums up a trace, version by version. Holds a number for each key. Not thread-safe. */
  public static final class Counting implements TraceSink {

    private static final int FEW = 10;

    private final Map<String, long[]> perKey = new HashMap<>();
    private long versions;
    private long removals;
    private long bytes;
    private long longest;
    private long least = Long.MAX_VALUE;
    private long largest = Long.MIN_VALUE;
    private final Map<TraceRead.Kind, Long> reads = new EnumMap<>(TraceRead.Kind.class);

    @Override
    public void take(TraceVersion version) {
      perKey.computeIfAbsent(version.key(), key -> new long[1])[0]++;
      versions++;
      removals += version.value().isEmpty() ? 1 : 0;
      long length = version.value().map(value -> value.length).orElse(0);
      bytes += length;
      longest = Math.max(longest, length);
      least = Math.min(least, version.version());
      largest = Math.max(largest, version.version());
    }

    @Override
    public void read(TraceRead read) {
      reads.merge(read.kind(), 1L, Long::sum);
    }

    private long reads(TraceRead.Kind kind) {
      return reads.getOrDefault(kind, 0L);
    }

    /** The summary of all versions and reads so far. */
    public TraceSummary summary() {
      String most = "";
      long count = 0;
      for (Map.Entry<String, long[]> each : perKey.entrySet()) {
        if (each.getValue()[0] > count) {
          most = each.getKey();
          count = each.getValue()[0];
        }
      }
      long values = versions - removals;
      return new TraceSummary(
          perKey.size(),
          versions,
          removals,
          bytes,
          values == 0 ? 0 : Math.round(10.0 * bytes / values) / 10.0,
          longest,
          count,
          most,
          bins(count),
          versions == 0 ? 0 : least,
          versions == 0 ? 0 : largest,
          reads(TraceRead.Kind.LATEST),
          reads(TraceRead.Kind.OLD),
          reads(TraceRead.Kind.HISTORY));
    }

    /**
     * Bins of one version, then decades, the first of them without one version, as in the paper's
     * figure 2(a).
     */
    private List<Bin> bins(long most) {
      List<Bin> bins = new ArrayList<>();
      for (long from = 1; from <= most; from = from == 1 ? 2 : to(from) + 1) {
        long first = from;
        long last = to(from);
        long keys = perKey.values().stream().filter(n -> n[0] >= first && n[0] <= last).count();
        bins.add(new Bin(first, last, keys, (double) keys / perKey.size()));
      }
      return bins;
    }

    private static long to(long from) {
      if (from == 1) {
        return 1;
      }
      long decade = FEW;
      while (decade <= from) {
        decade *= FEW;
      }
      return decade - 1;
    }
  }
}
