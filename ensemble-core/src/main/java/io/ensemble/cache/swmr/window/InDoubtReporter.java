package io.ensemble.cache.swmr.window;

import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.swmr.window.WindowSlot.Write;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports in-doubt writes to the log and the metrics immediately. The application receives them on
 * the scheduler, one report at a time, so that the thread that finds them, which handles terms,
 * does not wait for listeners. Thread-safe.
 */
public final class InDoubtReporter implements AutoCloseable {

  /**
   * How many reports may wait for slow listeners; further reports go to the log and the metrics
   * only.
   */
  static final int MOST_WAITING = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(InDoubtReporter.class);

  private final String cache;
  private final Scheduler scheduler;
  private final CacheMetrics metrics;
  private final List<Consumer<InDoubtWrites<Bytes>>> listeners = new CopyOnWriteArrayList<>();
  private final Deque<InDoubtWrites<Bytes>> pendingReports =
      new ArrayDeque<>(); // this object's lock
  private boolean isDelivering; // this object's lock

  public InDoubtReporter(String cache, Scheduler scheduler, CacheMetrics metrics) {
    this.cache = cache;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  /** Adds a listener; the returned action removes it. */
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    // A wrapper, so that a listener added twice is called twice, and each removal removes one
    // registration.
    Consumer<InDoubtWrites<Bytes>> registration = listener::accept;
    listeners.add(registration);
    return () -> listeners.remove(registration);
  }

  /** Reports those of {@code writes} that were acknowledged, by epoch. */
  public void report(Fate fate, List<Write> writes) {
    Map<Long, List<Write>> writesByEpoch =
        writes.stream()
            .filter(Write::acknowledged)
            .collect(Collectors.groupingBy(Write::epoch, TreeMap::new, Collectors.toList()));
    writesByEpoch.forEach(
        (epoch, epochWrites) ->
            deliver(
                new InDoubtWrites<>(
                    cache,
                    epoch,
                    fate,
                    epochWrites.stream()
                        .map(write -> new InDoubtWrites.Write<>(write.key(), write.stamp()))
                        .toList())));
  }

  private void deliver(InDoubtWrites<Bytes> report) {
    int count = report.writes().size();
    metrics.doubtful(report.fate(), count);
    if (report.fate() == Fate.KEPT) {
      LOG.info(
          "writes in doubt were kept; cache={} epoch={} writes={}", cache, report.epoch(), count);
    } else {
      LOG.warn(
          "acknowledged writes in doubt; cache={} epoch={} fate={} writes={}",
          cache,
          report.epoch(),
          report.fate(),
          count);
    }
    if (!listeners.isEmpty() && add(report)) {
      try {
        scheduler.execute(this::deliverPending);
      } catch (RejectedExecutionException rejection) {
        deliverPending(); // The scheduler has ended: this thread closes the cache.
      }
    }
  }

  private synchronized boolean add(InDoubtWrites<Bytes> report) {
    if (pendingReports.size() == MOST_WAITING) {
      LOG.error("listeners of writes in doubt are too slow and miss reports; cache={}", cache);
      return false;
    }
    return pendingReports.add(report);
  }

  /** Delivers the waiting reports, unless another thread does. */
  private void deliverPending() {
    for (InDoubtWrites<Bytes> report = takeFirst(); report != null; report = takeNext()) {
      notifyListeners(report);
    }
  }

  private synchronized @Nullable InDoubtWrites<Bytes> takeFirst() {
    return isDelivering ? null : takeNext();
  }

  private synchronized @Nullable InDoubtWrites<Bytes> takeNext() {
    InDoubtWrites<Bytes> report = pendingReports.poll();
    isDelivering = report != null;
    return report;
  }

  private void notifyListeners(InDoubtWrites<Bytes> report) {
    for (Consumer<InDoubtWrites<Bytes>> listener : listeners) {
      try {
        scheduler.aside(
            () -> {
              listener.accept(report);
              return true;
            });
      } catch (RuntimeException | Error thrown) {
        LOG.error("a listener of writes in doubt failed; cache={}", cache, thrown);
      }
    }
  }

  /**
   * Delivers the waiting reports, here if no thread does: the scheduler may end before it would.
   */
  @Override
  public void close() {
    deliverPending();
  }
}
