package io.ensemble.testkit.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is in a trace.
 *
 * @param versions of all keys, removals among them
 * @param removals versions that remove their key
 * @param payloadBytes of all values
 * @param meanBytes of a value
 * @param mostVersions of one key
 * @param mostVersionsKey which
 * @param versionsPerKey how many keys have how many versions
 * @param least the smallest version, 0 if there is none
 * @param largest the largest version, 0 if there is none
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
    long largest) {

  /**
   * Keys of so many versions.
   *
   * @param from so many or more
   * @param to so many or fewer
   * @param share of all keys, 0 to 1
   */
  public record Bin(long from, long to, long keys, double share) {}

  /** Sums up a trace, version by version. Remembers a number for each key. Not thread-safe. */
  public static final class Counting implements TraceSink {

    private static final int FEW = 10;

    private final Map<String, long[]> perKey = new HashMap<>();
    private long versions;
    private long removals;
    private long bytes;
    private long longest;
    private long least = Long.MAX_VALUE;
    private long largest = Long.MIN_VALUE;

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

    /** Of all that came so far. */
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
          versions == 0 ? 0 : largest);
    }

    /** One version, then decades, the first without it: as the paper's figure 2(a) has them. */
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
