package io.ensemble.rest;

import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreStatistics;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A site in memory that answers immediately, on a scheduler, or not at all. */
final class MemorySite implements Site {

  /** How it behaves. */
  enum Mood {
    UP,
    /** Refuses connections, so that nothing is sent. */
    GONE,
    /** Performs requests and does not answer. */
    MUTE,
    /** Performs the next change, and is mute from then on. */
    MUTE_SOON
  }

  private static final long SILENT_NANOS = 3_000_000_000L;

  private final String name;
  private final Scheduler scheduler;
  private final Map<String, Map<Bytes, StoredEntry>> stores = new ConcurrentHashMap<>();
  private final AtomicLong versions = new AtomicLong();
  final AtomicLong reads = new AtomicLong();
  final Map<Bytes, AtomicLong> readsByKey = new ConcurrentHashMap<>();
  volatile Mood mood = Mood.UP;

  /** Stores in DEGRADED mode. */
  final Set<String> degraded = ConcurrentHashMap.newKeySet();

  /** Stores whose node is dead. */
  final Set<String> dead = ConcurrentHashMap.newKeySet();

  /** How many scans have asked for their first entries. */
  final AtomicLong scans = new AtomicLong();

  /** How many entries scans have returned. */
  final AtomicLong scanned = new AtomicLong();

  /** Scans fail when they have returned this many entries together. */
  volatile long failScansAfter = Long.MAX_VALUE;

  /** Scans go on when this is complete. */
  volatile CompletableFuture<?> scansGoOn = CompletableFuture.completedFuture(null);

  /** The certificates that it reports. */
  volatile List<CertificateExpiry> certificates = List.of();

  MemorySite(String name, Scheduler scheduler) {
    this.name = name;
    this.scheduler = scheduler;
  }

  @Override
  public CompletionStage<List<CertificateExpiry>> certificates(Deadline deadline) {
    return CompletableFuture.completedStage(certificates);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return answer(
        deadline,
        () -> {
          stores.put(store, new ConcurrentHashMap<>());
          return new Store(store);
        });
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return answer(
        deadline,
        () -> {
          entries(store);
          return new Store(store);
        });
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    return answer(
        deadline,
        () -> {
          stores.remove(store);
          return null;
        });
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return answer(deadline, () -> Set.copyOf(stores.keySet()));
  }

  /** Counts the reads of all clients, whichever store they were of. */
  @Override
  public CompletionStage<StoreStatistics> figures(String store, Deadline deadline) {
    return answer(
        deadline,
        () ->
            new StoreStatistics(
                OptionalLong.of(entries(store).size()), OptionalLong.of(reads.get())));
  }

  /** The suspicion of a process that sends requests all the time. */
  @Override
  public SuspicionLevel health() {
    return mood == Mood.UP || mood == Mood.MUTE_SOON
        ? SuspicionLevel.UNASKED
        : new SuspicionLevel(SuspicionLevel.State.DOWN, 12, SILENT_NANOS);
  }

  @Override
  public void close() {}

  /** The present content, by stores and keys. */
  Map<String, Map<Bytes, StoredEntry>> content() {
    Map<String, Map<Bytes, StoredEntry>> all = new TreeMap<>();
    stores.forEach((store, entries) -> all.put(store, Map.copyOf(entries)));
    return all;
  }

  private Map<Bytes, StoredEntry> entries(String store) {
    if (degraded.contains(store)) {
      throw new SiteException(name, Reason.DEGRADED, "as the test requires it");
    }
    if (dead.contains(store)) {
      throw SiteException.notSent(name, Reason.UNREACHABLE, "as the test requires it");
    }
    Map<Bytes, StoredEntry> found = stores.get(store);
    if (found == null) {
      throw new SiteException(name, Reason.STORE_LOST, "no such store");
    }
    return found;
  }

  private interface Step<T> {
    T perform();
  }

  private <T> CompletionStage<T> answer(Deadline deadline, Step<T> step) {
    return answer(deadline, false, step);
  }

  private <T> CompletionStage<T> answer(Deadline deadline, boolean changes, Step<T> step) {
    Mood now = mood;
    if (now == Mood.GONE) {
      return CompletableFuture.failedFuture(
          SiteException.notSent(name, Reason.UNREACHABLE, "as the test requires it"));
    }
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(step::perform, scheduler);
    if (now == Mood.MUTE_SOON && changes) {
      mood = Mood.MUTE;
    } else if (now != Mood.MUTE) {
      return answer;
    }
    CompletableFuture<T> late = new CompletableFuture<>();
    scheduler.after(
        Math.max(0, deadline.remainingNanos(scheduler)),
        () ->
            late.completeExceptionally(
                new SiteException(name, Reason.TIMED_OUT, "as the test requires it")));
    return late;
  }

  private final class Store implements SiteStore {

    private final String store;

    Store(String store) {
      this.store = store;
    }

    @Override
    public String site() {
      return name;
    }

    private <T> CompletionStage<T> on(
        Deadline deadline, boolean changes, Function<Map<Bytes, StoredEntry>, T> step) {
      return answer(
          deadline,
          changes,
          () -> {
            Map<Bytes, StoredEntry> entries = entries(store);
            synchronized (entries) {
              return step.apply(entries);
            }
          });
    }

    private StoredEntry next(Bytes value) {
      return new StoredEntry(value, versions.incrementAndGet());
    }

    private static boolean has(Map<Bytes, StoredEntry> entries, Bytes key, long version) {
      return entries.containsKey(key) && entries.get(key).version() == version;
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      reads.incrementAndGet();
      readsByKey.computeIfAbsent(key, ignored -> new AtomicLong()).incrementAndGet();
      return on(deadline, false, entries -> Optional.ofNullable(entries.get(key)));
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      return on(deadline, true, entries -> entries.putIfAbsent(key, next(value)) == null);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      return on(
          deadline,
          true,
          entries -> has(entries, key, version) && entries.put(key, next(value)) != null);
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      return on(
          deadline, true, entries -> has(entries, key, version) && entries.remove(key) != null);
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      return on(
          deadline,
          true,
          entries -> {
            entries.put(key, next(value));
            return null;
          });
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      return on(
          deadline,
          true,
          entries -> Optional.ofNullable(entries.put(key, next(value))).map(StoredEntry::value));
    }

    @Override
    public Scan scan(int batchSize) {
      List<Scan.Item> all = new ArrayList<>();
      stores
          .getOrDefault(store, Map.of())
          .forEach((key, entry) -> all.add(new Scan.Item(key, entry.value())));
      return new Scan() {
        private int at;

        @Override
        public CompletionStage<List<Item>> next(Deadline deadline) {
          if (at == 0) {
            scans.incrementAndGet();
          }
          return scansGoOn.thenCompose(
              go ->
                  answer(
                      deadline,
                      () -> {
                        if (scanned.get() >= failScansAfter) {
                          throw new SiteException(name, Reason.STORE_LOST, "as the test requires");
                        }
                        int from = at;
                        at = Math.min(all.size(), at + batchSize);
                        scanned.addAndGet(at - from);
                        return List.copyOf(all.subList(from, at));
                      }));
        }

        @Override
        public void close() {}
      };
    }
  }
}
