package io.ensemble.heat;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.OperationRecorder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the operations of a manager's caches for heat maps, and publishes them.
 *
 * <pre>{@code
 * HeatRecorder recorder = HeatRecorder.create();
 * EnsembleCacheManager manager =
 *     EnsembleCacheManager.builder().catalog(address).recorder(recorder).build();
 * recorder.publishTo(manager);
 * }</pre>
 *
 * <p>Each window of each cache becomes an entry of the WEAK cache {@value HeatMaps#CACHE}, which is
 * created if necessary. A window ends up to a second late. A window without operations on keys is
 * not published. {@link HeatMaps} reads what all processes have published.
 *
 * <p>Memory is bounded: {@link HeatSettings#caches} caches of at most 8 sketches of about 40 kB in
 * a window, and 512 windows of at most 40 kB that wait to be published. Thread-safe.
 */
public final class HeatRecorder implements OperationRecorder, MeterBinder, AutoCloseable {

  /** How many names of caches a recorder knows at most; further caches are not recorded. */
  static final int MOST_NAMES = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(HeatRecorder.class);
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Duration LAST_PUBLICATION = Duration.ofSeconds(10);

  private final HeatSettings settings;
  private final LongSupplier epochMillis;
  private final String id;
  private final Map<String, RecordedCache> caches = new ConcurrentHashMap<>();
  private final LongAdder missed = new LongAdder();
  private final RoundTrips roundTrips = new RoundTrips();
  private final HeatMeters meters = new HeatMeters();

  /** How many caches have an open window. */
  private final AtomicInteger begun = new AtomicInteger();

  private volatile boolean closed;

  // These are guarded by this object's lock.
  private long startMillis;
  private int generation;
  private String localSite = "";
  private @Nullable WindowPublisher publisher;
  private @Nullable ScheduledExecutorService threads;

  HeatRecorder(HeatSettings settings, LongSupplier epochMillis) {
    this.settings = settings;
    this.epochMillis = epochMillis;
    this.id = "%016x".formatted(new SecureRandom().nextLong());
    this.startMillis = window(epochMillis.getAsLong());
  }

  /** A recorder with {@link HeatSettings#DEFAULT}. */
  public static HeatRecorder create() {
    return create(HeatSettings.DEFAULT);
  }

  /** A recorder with these settings. */
  public static HeatRecorder create(HeatSettings settings) {
    return new HeatRecorder(settings, System::currentTimeMillis);
  }

  private long window(long millis) {
    return millis - Math.floorMod(millis, settings.window().toMillis());
  }

  @Override
  public @Nullable CacheOperationRecorder cacheOpened(String cache, boolean isPrivate) {
    if (cache.equals(HeatMaps.CACHE)) {
      return null;
    }
    RecordedCache known = caches.get(cache);
    if (known != null && known.isHmac() == isPrivate) {
      return known;
    }
    if (known == null && caches.size() >= MOST_NAMES) {
      return null;
    }
    // A cache that was deleted and created again with another privacy: one window of the former one
    // may be lost.
    RecordedCache created = new RecordedCache(cache, isPrivate, this::admit, missed, roundTrips);
    RecordedCache present =
        caches.merge(cache, created, (old, mine) -> old.isHmac() == isPrivate ? old : mine);
    if (known != null && present == created && known.close() != null) {
      begun.decrementAndGet();
    }
    return present;
  }

  /** Called under the lock of the cache, so this must not lock the recorder. */
  private boolean admit(RecordedCache cache) {
    return !closed
        && caches.get(cache.name()) == cache
        && begun.getAndUpdate(now -> Math.min(now + 1, settings.caches())) < settings.caches();
  }

  /**
   * Begins to publish windows through a manager, with two threads of its own. The windows until now
   * wait, up to 512 of them. Sends nothing before a window ends.
   *
   * @throws IllegalStateException if the recorder publishes already, or is closed
   */
  public void publishTo(EnsembleCacheManager manager) {
    synchronized (this) {
      localSite = manager.localSite().orElse("");
    }
    start(() -> SharedHeatEntries.openOrCreate(manager), true);
  }

  synchronized void start(Supplier<HeatEntries> entries, boolean withThreads) {
    if (closed || publisher != null) {
      throw new IllegalStateException(
          closed ? "the heat recorder is closed" : "the heat recorder publishes already");
    }
    WindowPublisher publishing = new WindowPublisher(entries, settings);
    publisher = publishing;
    if (withThreads) {
      ScheduledExecutorService started =
          Executors.newScheduledThreadPool(
              2,
              work -> {
                Thread thread = new Thread(work, "ensemble-heat");
                thread.setDaemon(true);
                return thread;
              });
      threads = started;
      repeat(started, this::endWindow);
      repeat(started, publishing::publish);
    }
  }

  private static void repeat(ScheduledExecutorService threads, Runnable task) {
    threads.scheduleWithFixedDelay(
        () -> {
          try {
            task.run();
          } catch (RuntimeException | Error failure) {
            LOG.error("heat maps: a step failed, and is repeated in {}", TICK, failure);
          }
        },
        TICK.toMillis(),
        TICK.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /** Ends the open window if its time is over. */
  synchronized void endWindow() {
    long now = window(epochMillis.getAsLong());
    if (now > startMillis) {
      endWindow(now, generation);
    } else if (now < startMillis - settings.window().toMillis()) {
      // The clock was set back. A window that begins at a time which had one already is published
      // under another id, so that neither overwrites the other.
      endWindow(now, generation + 1);
    }
  }

  private void endWindow(long next, int nextGeneration) {
    ProcessPlace place = new ProcessPlace(localSite, roundTrips.endWindow());
    for (RecordedCache cache : caches.values()) {
      HeatSketch ended = cache.close();
      if (ended != null) {
        begun.decrementAndGet();
        ended.at(place);
        WindowPublisher publishing = publisher;
        meters.show(cache.name(), ended);
        if (publishing != null) {
          publishing.add(new ClosedWindow(cache.name(), client(), startMillis, ended.toBytes()));
        }
      } else {
        meters.showNothing(cache.name());
      }
    }
    // After all windows have ended, so that a cache that was refused finds a place.
    caches.values().forEach(RecordedCache::readmit);
    startMillis = next;
    generation = nextGeneration;
  }

  private String client() {
    return id + "-" + generation;
  }

  /** How many operations were not recorded, because too many caches were used in a window. */
  public long missedOperations() {
    return missed.sum();
  }

  /** How many windows were dropped because they could not be published. */
  public synchronized long droppedWindows() {
    return publisher == null ? 0 : publisher.dropped();
  }

  synchronized @Nullable WindowPublisher publisher() {
    return publisher;
  }

  /** Adds the meters {@code ensemble.heat.*}: see {@code docs/metrics.md}. */
  @Override
  public void bindTo(MeterRegistry registry) {
    meters.bindTo(registry, this);
  }

  /**
   * Ends the open windows, and publishes what waits, for ten seconds at most. To be called before
   * the manager is closed. May be repeated.
   */
  @Override
  public void close() {
    ScheduledExecutorService running;
    WindowPublisher publishing;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      endWindow(startMillis, generation);
      running = threads;
      publishing = publisher;
    }
    if (running == null || publishing == null) {
      return;
    }
    running.execute(publishing::publishNow);
    running.shutdown();
    try {
      if (!running.awaitTermination(LAST_PUBLICATION.toMillis(), TimeUnit.MILLISECONDS)) {
        running.shutdownNow();
      }
    } catch (InterruptedException e) {
      running.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
