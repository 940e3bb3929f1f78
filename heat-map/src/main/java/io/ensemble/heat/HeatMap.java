package io.ensemble.heat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The operations of all processes that record, on one cache in a period. Counts of reads, writes
 * and requests are exact for the windows that were published; the others are estimates.
 *
 * @param cache the name of the cache
 * @param from the beginning of the period; the window that contains it counts. Later than requested
 *     if the map is not complete
 * @param to the end of the period
 * @param processes how many processes published a window of the period
 * @param reads calls that wrote nothing
 * @param writes calls that wrote, or tried to
 * @param keys the keys used most, the most used first
 * @param distinctKeys how many different keys were used; the bounds hold with 95 % probability
 * @param sizes the sizes of values that were read or written; null if there was none
 * @param sites the requests to each site, sorted by name
 * @param origins where the processes are, sorted by name
 * @param intervals the period by intervals of the same length, at most 242, the earliest first;
 *     those without operations are left out
 * @param interval the length of an interval: at least one window
 * @param unreadable how many windows could not be read, and are left out
 * @param isComplete whether the whole period was read; otherwise the processes have too many
 *     windows, and the map covers the last part of the period
 */
public record HeatMap(
    String cache,
    Instant from,
    Instant to,
    int processes,
    long reads,
    long writes,
    List<HotKey> keys,
    EstimatedCount distinctKeys,
    @Nullable ValueSizes sizes,
    List<SiteLoad> sites,
    List<OriginLoad> origins,
    List<HeatInterval> intervals,
    Duration interval,
    int unreadable,
    boolean isComplete) {

  public HeatMap {
    keys = List.copyOf(keys);
    sites = List.copyOf(sites);
    origins = List.copyOf(origins);
    intervals = List.copyOf(intervals);
  }

  /** All operations. */
  public long operations() {
    return reads + writes;
  }

  /**
   * An estimate.
   *
   * @param lower a lower bound
   * @param upper an upper bound
   */
  public record EstimatedCount(long estimate, long lower, long upper) {}

  /**
   * A key that is used often.
   *
   * @param key a string as it is; {@code hmac:} and digits for a private cache; {@code 0x} and the
   *     digits of the encoding for other types. Of a key of more than 64 bytes the beginning and a
   *     hash
   * @param operations the operations on the key; the bounds are certain
   */
  public record HotKey(String key, EstimatedCount operations) {}

  /**
   * The sizes of values, encoded and not encrypted, in bytes.
   *
   * @param p50 the median, with a rank error of 1.3 %
   * @param p99 the 99th percentile, with the same error
   * @param largest the largest, exact up to 16 MiB
   */
  public record ValueSizes(long p50, long p99, long largest) {}

  /**
   * The requests to a site, also of background work.
   *
   * @param site the site, or the replica where a site has several
   * @param share of the requests to all sites, between 0 and 1
   */
  public record SiteLoad(String site, long reads, long writes, double share) {}

  /**
   * The operations of the processes near one site.
   *
   * @param site the local site of the processes; of a process without one, the site with the
   *     shortest round trip; empty if none is known
   * @param processes how many processes
   * @param roundTripMillis the shortest request from there to each site, by site, in milliseconds;
   *     a site to which these processes sent no request is missing
   */
  public record OriginLoad(
      String site, int processes, long reads, long writes, Map<String, Double> roundTripMillis) {

    public OriginLoad {
      roundTripMillis = Map.copyOf(roundTripMillis);
    }
  }

  /**
   * The operations of an interval.
   *
   * @param keys the estimated operations on each of the {@linkplain HeatMap#keys hot keys}, in
   *     their order
   */
  public record HeatInterval(Instant start, long reads, long writes, List<Long> keys) {

    public HeatInterval {
      keys = List.copyOf(keys);
    }
  }
}
