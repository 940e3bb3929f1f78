package io.ensemble.heat;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.heat.HeatClients.Client;
import io.ensemble.heat.HeatMap.EstimatedCount;
import io.ensemble.heat.HeatMap.HeatInterval;
import io.ensemble.heat.HeatMap.HotKey;
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

  /** How many windows, of all processes together, a heat map reads at most. */
  static final int MOST_WINDOWS = 10_000;

  private static final int BATCH = 64;

  /** The clock of a process may be ahead of this one's by two minutes, and its window is read. */
  private static final Duration AHEAD = Duration.ofMinutes(2);

  private final Supplier<Optional<HeatEntries>> opening;
  private final LongSupplier epochMillis;

  HeatMaps(Supplier<Optional<HeatEntries>> opening, LongSupplier epochMillis) {
    this.opening = opening;
    this.epochMillis = epochMillis;
  }

  /** The heat maps of the caches of a federation. Sends nothing. */
  public static HeatMaps of(EnsembleCacheManager manager) {
    return new HeatMaps(() -> SharedHeatEntries.open(manager), System::currentTimeMillis);
  }

  /**
   * The heat map of a cache. Blocks; costs one request for each process and window of the period,
   * of about 8 kB. A heat map without operations is returned if no process has recorded any, or the
   * cache does not exist.
   *
   * @param period how far back it reaches from now; in (0 s, 1 d]
   * @param top how many keys are named at most; in [1, 100]
   * @throws IllegalArgumentException if an argument is out of range, or the period has more than
   *     10,000 windows of processes
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

  /** What has been read for one heat map. */
  private static final class Collected {
    private final String cache;
    private final long fromMillis;
    private final long toMillis;
    private final int top;
    private final TreeMap<Long, HeatSketch> windows = new TreeMap<>();
    private final Set<String> processes = new HashSet<>();
    private int unreadable;

    Collected(String cache, long fromMillis, long toMillis, int top) {
      this.cache = cache;
      this.fromMillis = fromMillis;
      this.toMillis = toMillis;
      this.top = top;
    }

    void read(HeatEntries entries) {
      String key = ClosedWindow.clientsKey(cache);
      HeatClients clients = HeatClients.of(entries.getAll(Set.of(key)).get(key));
      Map<String, PossibleWindow> possible = possible(clients);
      Set<String> batch = new LinkedHashSet<>();
      for (String name : possible.keySet()) {
        batch.add(name);
        if (batch.size() == BATCH) {
          add(entries.getAll(batch), possible);
          batch.clear();
        }
      }
      if (!batch.isEmpty()) {
        add(entries.getAll(batch), possible);
      }
    }

    private Map<String, PossibleWindow> possible(HeatClients clients) {
      Map<String, PossibleWindow> possible = new LinkedHashMap<>();
      for (Client client : clients.clients()) {
        long length = client.windowMillis();
        long start = fromMillis - Math.floorMod(fromMillis, length);
        for (; start < toMillis + AHEAD.toMillis(); start += length) {
          if (possible.size() == MOST_WINDOWS) {
            throw new IllegalArgumentException(
                "the period has more than %,d windows of %d processes: use a shorter one; cache=%s"
                    .formatted(MOST_WINDOWS, clients.clients().size(), cache));
          }
          possible.put(
              ClosedWindow.key(cache, client.id(), start), new PossibleWindow(client.id(), start));
        }
      }
      return possible;
    }

    private void add(Map<String, byte[]> found, Map<String, PossibleWindow> possible) {
      found.forEach(
          (name, bytes) -> {
            PossibleWindow window = possible.get(name);
            if (window != null) {
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
      HeatSketch same =
          windows.computeIfAbsent(window.startMillis(), any -> new HeatSketch(read.isHmac()));
      if (same.isHmac() != read.isHmac()) {
        unreadable++; // Of a cache of this name with another privacy.
        return;
      }
      same.merge(read);
      processes.add(window.client());
    }

    HeatMap map() {
      boolean isHmac = !windows.isEmpty() && windows.lastEntry().getValue().isHmac();
      HeatSketch all = new HeatSketch(isHmac);
      for (HeatSketch window : windows.values()) {
        if (window.isHmac() == isHmac) {
          all.merge(window);
        }
      }
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
                          SketchKey.text(row.getItem(), isHmac),
                          new EstimatedCount(
                              row.getEstimate(), row.getLowerBound(), row.getUpperBound())))
              .toList(),
          new EstimatedCount(
              Math.round(distinct.getEstimate()),
              (long) distinct.getLowerBound(2),
              (long) Math.ceil(distinct.getUpperBound(2))),
          sizes(all),
          loads(all.sites()),
          intervals(hot, isHmac),
          unreadable);
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

    private List<HeatInterval> intervals(List<ItemsSketch.Row<Bytes>> hot, boolean isHmac) {
      List<HeatInterval> intervals = new ArrayList<>();
      windows.forEach(
          (start, window) -> {
            if (window.isHmac() == isHmac) {
              intervals.add(
                  new HeatInterval(
                      Instant.ofEpochMilli(start),
                      window.reads(),
                      window.writes(),
                      hot.stream().map(row -> window.keys().getEstimate(row.getItem())).toList()));
            }
          });
      return intervals;
    }
  }
}
