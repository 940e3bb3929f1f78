package io.ensemble.heat;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.heat.HeatClients.Client;
import io.ensemble.heat.HeatMap.EstimatedCount;
import io.ensemble.heat.HeatMap.HeatInterval;
import io.ensemble.heat.HeatMap.HotKey;
import io.ensemble.heat.HeatMap.OriginLoad;
import io.ensemble.heat.HeatMap.SiteLoad;
import io.ensemble.heat.HeatMap.ValueSizes;
import io.ensemble.heat.HeatSketch.SiteRequests;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;
import org.apache.datasketches.hll.HllSketch;
import org.jspecify.annotations.Nullable;

/**
 * Reads heat maps: merges the windows that all processes with a {@link HeatRecorder} have
 * published. Thread-safe.
 */
public final class HeatMaps {

  /** The WEAK cache of published windows. */
  public static final String CACHE = "ensemble.heat";

  /** The longest period of a heat map. */
  public static final Duration LONGEST = Duration.ofDays(1);

  /** The most keys that a heat map names. */
  public static final int MOST_KEYS = 100;

  /** A heat map has about so many intervals at most, each of them one set of sketches in memory. */
  static final int MOST_INTERVALS = 240;

  private static final int BATCH = 64;
  private static final long MILLIS_IN_A_SECOND = 1_000;
  private static final double MICROS_IN_A_MILLI = 1_000;

  /** The clock of a process may be ahead of this one's by two minutes, and its window is read. */
  private static final Duration AHEAD = Duration.ofMinutes(2);

  /** The lengths of intervals; the last ones fit windows of up to an hour, and periods of a day. */
  private static final long[] INTERVAL_SECONDS = {
    1, 2, 5, 10, 15, 30, 60, 120, 300, 360, 600, 900, 1_800, 3_600
  };

  /**
   * How much one heat map reads at most. What is read last, the earliest part of the period, is
   * left out.
   *
   * @param windows of all processes together
   * @param nanos the time
   */
  record ReadBounds(long windows, long nanos) {

    static final ReadBounds STANDARD = new ReadBounds(100_000, Duration.ofSeconds(10).toNanos());
  }

  private final Supplier<Optional<HeatEntries>> opening;
  private final LongSupplier epochMillis;
  private final LongSupplier nanoTime;
  private final ReadBounds bounds;

  HeatMaps(
      Supplier<Optional<HeatEntries>> opening,
      LongSupplier epochMillis,
      LongSupplier nanoTime,
      ReadBounds bounds) {
    this.opening = opening;
    this.epochMillis = epochMillis;
    this.nanoTime = nanoTime;
    this.bounds = bounds;
  }

  /** The heat maps of the caches of a federation. Sends nothing. */
  public static HeatMaps of(EnsembleCacheManager manager) {
    return new HeatMaps(
        () -> SharedHeatEntries.open(manager),
        System::currentTimeMillis,
        System::nanoTime,
        ReadBounds.STANDARD);
  }

  /**
   * The heat map of a cache. Blocks; costs one request for each process and window of the period,
   * of about 8 kB. A heat map without operations is returned if no process has recorded any, or the
   * cache does not exist. Reads the latest windows first, and ends after 100,000 windows, or 10 s
   * and the requests that are under way then: so the map of a longer period of many processes is
   * not {@linkplain HeatMap#isComplete complete}. Holds at most 242 sketches of about 40 kB.
   *
   * @param period how far back it reaches from now; in (0 s, 1 d]
   * @param top how many keys are named at most; in [1, 100]
   * @throws IllegalArgumentException if an argument is out of range
   * @throws io.ensemble.EnsembleException if no site with the windows answers; a retry is safe
   */
  public HeatMap read(String cache, Duration period, int top) {
    if (period.isNegative() || period.isZero() || period.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("period must be in (0 s, 1 d]; got " + period);
    }
    if (top < 1 || top > MOST_KEYS) {
      throw new IllegalArgumentException(
          "hot keys must be in [1, %d]; got %d".formatted(MOST_KEYS, top));
    }
    long now = epochMillis.getAsLong();
    Collected collected = new Collected(cache, now - period.toMillis(), now, top);
    Optional<HeatEntries> entries = opening.get();
    if (entries.isPresent()) {
      collected.read(entries.get());
    }
    return collected.map();
  }

  /** A window of a process that may have been published. */
  private record PossibleWindow(String client, long startMillis) {}

  /** What is known of the processes near one site. */
  private static final class Origin {
    private final Set<String> processes = new HashSet<>();
    private final Map<String, Integer> roundTripMicros = new TreeMap<>();
    private long reads;
    private long writes;

    void add(String process, HeatSketch window) {
      processes.add(process);
      reads += window.reads();
      writes += window.writes();
      window
          .place()
          .roundTripMicros()
          .forEach(
              (site, micros) -> {
                if (roundTripMicros.containsKey(site)
                    || roundTripMicros.size() < HeatSketch.MOST_SITES) {
                  roundTripMicros.merge(site, micros, Math::min);
                }
              });
    }

    OriginLoad load(String site) {
      Map<String, Double> millis = new TreeMap<>();
      roundTripMicros.forEach((to, micros) -> millis.put(to, micros / MICROS_IN_A_MILLI));
      return new OriginLoad(site, processes.size(), reads, writes, millis);
    }
  }

  /** What has been read for one heat map. */
  private final class Collected {
    private final String cache;
    private final long toMillis;
    private final int top;
    private final TreeMap<Long, HeatSketch> intervals = new TreeMap<>();
    private final TreeMap<String, Origin> origins = new TreeMap<>();
    private final Set<String> processes = new HashSet<>();
    private final long beginNanos = nanoTime.getAsLong();
    private long fromMillis;
    private long intervalMillis;
    private @Nullable Boolean isHmac;
    private long requested;
    private boolean isComplete = true;
    private int unreadable;

    Collected(String cache, long fromMillis, long toMillis, int top) {
      this.cache = cache;
      this.fromMillis = fromMillis;
      this.toMillis = toMillis;
      this.top = top;
      this.intervalMillis = intervalMillis(1);
    }

    /** The shortest length for which there are not too many intervals, of a window at least. */
    private long intervalMillis(long windowMillis) {
      long millis = toMillis + AHEAD.toMillis() - fromMillis;
      long least = Math.max(windowMillis, (millis + MOST_INTERVALS - 1) / MOST_INTERVALS);
      for (long seconds : INTERVAL_SECONDS) {
        if (seconds * MILLIS_IN_A_SECOND >= least) {
          return seconds * MILLIS_IN_A_SECOND;
        }
      }
      return least;
    }

    void read(HeatEntries entries) {
      List<Client> clients = clients(entries);
      if (clients.isEmpty()) {
        return;
      }
      intervalMillis =
          intervalMillis(clients.stream().mapToLong(Client::windowMillis).min().orElse(1));
      long first =
          clients.stream()
              .mapToLong(client -> start(firstWindow(client)))
              .min()
              .orElse(start(fromMillis));
      for (long at = start(toMillis + AHEAD.toMillis()); at >= first; at -= intervalMillis) {
        if (isExhausted() && at < toMillis) {
          isComplete = false;
          fromMillis = at + intervalMillis;
          return;
        }
        readInterval(entries, clients, at);
      }
    }

    private boolean isExhausted() {
      return requested >= bounds.windows() || nanoTime.getAsLong() - beginNanos >= bounds.nanos();
    }

    private long start(long millis) {
      return millis - Math.floorMod(millis, intervalMillis);
    }

    /** The beginning of the window that contains the beginning of the period. */
    private long firstWindow(Client client) {
      return fromMillis - Math.floorMod(fromMillis, client.windowMillis());
    }

    private List<Client> clients(HeatEntries entries) {
      Set<String> keys = new LinkedHashSet<>();
      for (int slot = 0; slot < HeatClients.SLOTS; slot++) {
        keys.add(ClosedWindow.clientsKey(cache, slot));
      }
      return entries.getLists(keys).values().stream()
          .flatMap(bytes -> HeatClients.of(bytes).clients().stream())
          .toList();
    }

    /** Reads the windows that begin in an interval, and belong to the period. */
    private void readInterval(HeatEntries entries, List<Client> clients, long at) {
      Map<String, PossibleWindow> batch = new LinkedHashMap<>();
      for (Client client : clients) {
        long length = client.windowMillis();
        long first = Math.max(at, firstWindow(client));
        long end = Math.min(at + intervalMillis, client.untilMillis());
        for (long start = first + Math.floorMod(-first, length); start < end; start += length) {
          batch.put(
              ClosedWindow.key(cache, client.id(), start), new PossibleWindow(client.id(), start));
          if (batch.size() == BATCH) {
            add(entries.getAll(batch.keySet()), batch);
            batch.clear();
          }
        }
      }
      if (!batch.isEmpty()) {
        add(entries.getAll(batch.keySet()), batch);
      }
    }

    private void add(Map<String, byte[]> found, Map<String, PossibleWindow> possible) {
      requested += possible.size();
      possible.forEach(
          (name, window) -> {
            byte[] bytes = found.get(name);
            if (bytes != null) {
              add(window, bytes);
            }
          });
    }

    private void add(PossibleWindow window, byte[] bytes) {
      HeatSketch read;
      try {
        read = HeatSketch.of(bytes);
      } catch (IllegalArgumentException malformed) {
        unreadable++;
        return;
      }
      if (isHmac == null) {
        isHmac = read.isHmac();
      } else if (isHmac != read.isHmac()) {
        unreadable++; // Of a cache of this name with another privacy.
        return;
      }
      long at = start(Math.max(window.startMillis(), fromMillis));
      intervals.computeIfAbsent(at, any -> new HeatSketch(read.isHmac())).merge(read);
      processes.add(window.client());
      String origin = read.place().origin();
      String shown =
          origins.containsKey(origin) || origins.size() < HeatSketch.MOST_SITES
              ? origin
              : HeatSketch.OTHER_SITES;
      origins.computeIfAbsent(shown, any -> new Origin()).add(window.client(), read);
    }

    HeatMap map() {
      boolean areHmacs = isHmac != null && isHmac;
      HeatSketch all = new HeatSketch(areHmacs);
      intervals.values().forEach(all::merge);
      List<ItemsSketch.Row<Bytes>> hot = hot(all);
      HllSketch distinct = all.distinct();
      return new HeatMap(
          cache,
          Instant.ofEpochMilli(fromMillis),
          Instant.ofEpochMilli(toMillis),
          processes.size(),
          all.reads(),
          all.writes(),
          hot.stream()
              .map(
                  row ->
                      new HotKey(
                          SketchKey.text(row.getItem(), areHmacs),
                          new EstimatedCount(
                              row.getEstimate(), row.getLowerBound(), row.getUpperBound())))
              .toList(),
          new EstimatedCount(
              Math.round(distinct.getEstimate()),
              (long) distinct.getLowerBound(2),
              (long) Math.ceil(distinct.getUpperBound(2))),
          sizes(all),
          loads(all.sites()),
          origins.entrySet().stream().map(one -> one.getValue().load(one.getKey())).toList(),
          shown(hot),
          Duration.ofMillis(intervalMillis),
          unreadable,
          isComplete);
    }

    private List<ItemsSketch.Row<Bytes>> hot(HeatSketch all) {
      return Arrays.stream(all.keys().getFrequentItems(0, ErrorType.NO_FALSE_NEGATIVES))
          .sorted(
              Comparator.<ItemsSketch.Row<Bytes>>comparingLong(ItemsSketch.Row::getEstimate)
                  .reversed()
                  .thenComparing(row -> row.getItem().array(), Arrays::compare))
          .limit(top)
          .toList();
    }

    private static @Nullable ValueSizes sizes(HeatSketch all) {
      return all.sizes().isEmpty()
          ? null
          : new ValueSizes(
              (long) all.sizes().getQuantile(0.5),
              (long) all.sizes().getQuantile(0.99),
              (long) all.sizes().getMaxItem());
    }

    private static List<SiteLoad> loads(Map<String, SiteRequests> sites) {
      double requests =
          sites.values().stream().mapToDouble(one -> (double) one.reads() + one.writes()).sum();
      List<SiteLoad> loads = new ArrayList<>();
      sites.forEach(
          (site, one) ->
              loads.add(
                  new SiteLoad(
                      site, one.reads(), one.writes(), (one.reads() + one.writes()) / requests)));
      return loads;
    }

    private List<HeatInterval> shown(List<ItemsSketch.Row<Bytes>> hot) {
      List<HeatInterval> shown = new ArrayList<>();
      intervals.forEach(
          (start, interval) ->
              shown.add(
                  new HeatInterval(
                      Instant.ofEpochMilli(start),
                      interval.reads(),
                      interval.writes(),
                      hot.stream()
                          .map(row -> interval.keys().getEstimate(row.getItem()))
                          .toList())));
      return shown;
    }
  }
}
