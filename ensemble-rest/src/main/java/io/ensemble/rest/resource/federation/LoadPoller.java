package io.ensemble.rest.resource.federation;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.membership.ReplicaLoad;
import io.ensemble.placement.ReplicaName;
import io.ensemble.rest.resource.cache.TermPoller;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The load of sites and caches from all clients, by the statistics of the nodes. The poller asks
 * one cache after another, besides the snapshots, and only while snapshots are taken. A round
 * begins at most every 5 s, lasts 5 s, and asks at most {@value #MOST_CACHES} caches; the next one
 * continues behind the last cache asked. So the cost is bounded however many caches exist: a
 * request for each replica of one cache at a time.
 *
 * <p>Thread-safe.
 */
final class LoadPoller {

  static final int MOST_CACHES = 100;

  private static final long APART_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long OLD_NANOS = Duration.ofMinutes(2).toNanos();
  private static final long WINDOW_NANOS = Duration.ofMinutes(10).toNanos();
  private static final int MOST_ROUND_TRIPS = 2_000;
  private static final double NANOS_IN_A_SECOND = 1e9;
  private static final double NANOS_IN_A_MILLISECOND = 1e6;
  private static final double TENTHS = 10;
  private static final double P99 = 0.99;

  /**
   * The last answer of a replica.
   *
   * @param store an answer about another store says nothing of the rate
   * @param perSecond the rate between the last two answers; empty before the second one, and after
   *     a restart of the node
   */
  private record Sample(String store, ReplicaLoad load, OptionalDouble perSecond, long readNanos) {}

  /** The answers of a cache: those of the replicas that are missing failed. */
  private record CacheSamples(List<String> replicas, Map<String, Sample> answers, long readNanos) {}

  private record RoundTrip(long nanos, long atNanos) {}

  private final Function<StoredDefinition, Map<String, ReplicaLoad>> loadReader;
  private final Supplier<Map<String, Map<String, String>>> noteReader;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final AtomicBoolean isPolling = new AtomicBoolean();

  // All fields below are guarded by this object's lock.
  private final Map<String, CacheSamples> samples = new TreeMap<>();
  private final Map<String, Deque<RoundTrip>> roundTrips = new TreeMap<>();
  private Map<String, Map<String, String>> notes = Map.of();
  private String lastCache = "";
  private long lastPollNanos;
  private boolean hasPolled;

  /**
   * @param loadReader reads the loads of a cache's replicas; blocks for its sites
   * @param noteReader reads the notes of the processes that maintain the sites; blocks for the
   *     catalog
   * @param executor runs the polling; may reject it
   */
  LoadPoller(
      Function<StoredDefinition, Map<String, ReplicaLoad>> loadReader,
      Supplier<Map<String, Map<String, String>>> noteReader,
      Executor executor,
      LongSupplier nanoTime) {
    this.loadReader = loadReader;
    this.noteReader = noteReader;
    this.executor = executor;
    this.nanoTime = nanoTime;
  }

  /** Begins a round for {@code caches} if one is due. Returns immediately. */
  void pollIfDue(Map<String, StoredDefinition> caches) {
    synchronized (this) {
      samples.keySet().retainAll(caches.keySet());
      long now = nanoTime.getAsLong();
      if ((hasPolled && now - lastPollNanos < APART_NANOS)
          || !isPolling.compareAndSet(false, true)) {
        return;
      }
      hasPolled = true;
      lastPollNanos = now;
    }
    Map<String, StoredDefinition> copy = new TreeMap<>(caches);
    try {
      executor.execute(() -> pollRound(copy));
    } catch (RejectedExecutionException busy) {
      isPolling.set(false); // The next snapshot polls.
    }
  }

  private void pollRound(Map<String, StoredDefinition> caches) {
    long beginNanos = nanoTime.getAsLong();
    try {
      String last;
      synchronized (this) {
        last = lastCache;
      }
      int asked = 0;
      for (String name : TermPoller.orderAfter(last, List.copyOf(caches.keySet()))) {
        if (asked == MOST_CACHES || nanoTime.getAsLong() - beginNanos >= APART_NANOS) {
          break;
        }
        asked++;
        poll(name, Objects.requireNonNull(caches.get(name)).served());
      }
      pollNotes();
    } finally {
      isPolling.set(false);
    }
  }

  private void poll(String name, StoredDefinition cache) {
    Map<String, ReplicaLoad> loads;
    try {
      loads = loadReader.apply(cache);
    } catch (RuntimeException unreadable) {
      loads = Map.of(); // The catalog is away; no replica was asked.
    }
    long now = nanoTime.getAsLong();
    synchronized (this) {
      lastCache = name;
      CacheSamples before = samples.get(name);
      Map<String, Sample> answers = new TreeMap<>();
      loads.forEach(
          (replica, load) -> {
            String store = cache.store(replica).orElse("");
            Sample previous = before == null ? null : before.answers().get(replica);
            OptionalDouble rate =
                previous == null || !previous.store().equals(store)
                    ? OptionalDouble.empty()
                    : perSecond(previous, load, now);
            answers.put(replica, new Sample(store, load, rate, now));
            addRoundTrip(ReplicaName.siteOf(replica), load.roundTrip(), now);
          });
      samples.put(name, new CacheSamples(cache.definition().sites(), answers, now));
    }
  }

  private static OptionalDouble perSecond(Sample previous, ReplicaLoad load, long now) {
    OptionalLong before = previous.load().statistics().requests();
    OptionalLong after = load.statistics().requests();
    double seconds = (now - previous.readNanos()) / NANOS_IN_A_SECOND;
    return before.isEmpty()
            || after.isEmpty()
            || seconds <= 0
            || after.getAsLong() < before.getAsLong()
        ? OptionalDouble.empty()
        : OptionalDouble.of((after.getAsLong() - before.getAsLong()) / seconds);
  }

  /** Called under this object's lock. */
  private void addRoundTrip(String site, Duration took, long now) {
    Deque<RoundTrip> all = roundTrips.computeIfAbsent(site, name -> new ArrayDeque<>());
    all.addLast(new RoundTrip(took.toNanos(), now));
    while (all.size() > MOST_ROUND_TRIPS || now - all.getFirst().atNanos() > WINDOW_NANOS) {
      all.removeFirst();
    }
  }

  private void pollNotes() {
    Map<String, Map<String, String>> read;
    try {
      read = noteReader.get();
    } catch (RuntimeException unreadable) {
      return; // The former notes have their time.
    }
    synchronized (this) {
      notes = Map.copyOf(read);
    }
  }

  /**
   * The load of each site that holds a replica: how many replicas there are and how many answered,
   * and of those that did, the entries, the requests per second, the mean of the last round trips,
   * and the 99th percentile of those of the last 10 min.
   */
  synchronized Map<String, Map<String, Object>> describeSites() {
    Map<String, Totals> totals = new TreeMap<>();
    long now = nanoTime.getAsLong();
    samples.forEach(
        (name, cache) -> {
          if (now - cache.readNanos() < OLD_NANOS) {
            cache
                .replicas()
                .forEach(
                    replica ->
                        totals
                            .computeIfAbsent(ReplicaName.siteOf(replica), site -> new Totals())
                            .add(cache.answers().get(replica)));
          }
        });
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    totals.forEach(
        (site, total) -> {
          Map<String, Object> document = total.toDocument();
          document.putAll(describeRoundTrips(site, total));
          documents.put(site, document);
        });
    return documents;
  }

  /** Called under this object's lock. */
  private Map<String, Object> describeRoundTrips(String site, Totals total) {
    Deque<RoundTrip> all = roundTrips.getOrDefault(site, new ArrayDeque<>());
    if (total.answered == 0 || all.isEmpty()) {
      return Map.of();
    }
    long[] sorted = all.stream().mapToLong(RoundTrip::nanos).sorted().toArray();
    int rank = (int) Math.ceil(P99 * sorted.length);
    return Map.of(
        "millis", round(total.roundTripNanos / (double) total.answered / NANOS_IN_A_MILLISECOND),
        "p99Millis", round(sorted[Math.max(0, rank - 1)] / NANOS_IN_A_MILLISECOND));
  }

  /** The load of each cache, and of each of its replicas that answered. */
  synchronized Map<String, Map<String, Object>> describeCaches() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    long now = nanoTime.getAsLong();
    samples.forEach(
        (name, cache) -> {
          if (now - cache.readNanos() < OLD_NANOS) {
            Totals total = new Totals();
            Map<String, Object> replicas = new LinkedHashMap<>();
            long entries = 0;
            for (String replica : cache.replicas()) {
              Sample answer = cache.answers().get(replica);
              total.add(answer);
              if (answer != null) {
                entries = Math.max(entries, answer.load().statistics().entries().orElse(0));
                Totals one = new Totals();
                one.add(answer);
                Map<String, Object> document = one.toDocument();
                document.keySet().removeAll(List.of("replicas", "answered"));
                document.put(
                    "millis", round(answer.load().roundTrip().toNanos() / NANOS_IN_A_MILLISECOND));
                replicas.put(replica, document);
              }
            }
            Map<String, Object> document = total.toDocument();
            if (total.answered > 0) {
              document.put("entries", entries); // Replicas hold copies of the same entries.
            }
            document.put("at", replicas);
            documents.put(name, document);
          }
        });
    return documents;
  }

  /** The notes of the process that maintains each site; none where no process does. */
  synchronized Map<String, Map<String, Object>> describeMaintenance() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    notes.forEach(
        (site, note) -> {
          if (!note.isEmpty()) {
            documents.put(site, new TreeMap<>(note));
          }
        });
    return documents;
  }

  private static double round(double value) {
    return Math.round(value * TENTHS) / TENTHS;
  }

  /** Sums over replicas. */
  private static final class Totals {

    private int replicas;
    private int answered;
    private long entries;
    private double perSecond;
    private boolean hasRate;
    private long roundTripNanos;

    void add(@Nullable Sample answer) {
      replicas++;
      if (answer == null) {
        return;
      }
      answered++;
      entries += answer.load().statistics().entries().orElse(0);
      roundTripNanos += answer.load().roundTrip().toNanos();
      if (answer.perSecond().isPresent()) {
        hasRate = true;
        perSecond += answer.perSecond().getAsDouble();
      }
    }

    Map<String, Object> toDocument() {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("replicas", replicas);
      document.put("answered", answered);
      if (answered > 0) {
        document.put("entries", entries);
      }
      if (hasRate) {
        document.put("requestsPerSecond", round(perSecond));
      }
      return document;
    }
  }
}
