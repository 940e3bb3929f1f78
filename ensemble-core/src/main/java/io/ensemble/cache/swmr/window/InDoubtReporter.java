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
  private final Deque<InDoubtWrites<Bytes>> waiting = new ArrayDeque<>(); // this object's lock
  private boolean attended; // this object's lock

  public InDoubtReporter(String cache, Scheduler scheduler, CacheMetrics metrics) {
    this.cache = cache;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  /** Adds a listener; the returned action removes it. */
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    // A wrapper, so that a listener added twice is called twice, and each removal removes one
    // registration.
    Consumer<InDoubtWrites<Bytes>> own = listener::accept;
    listeners.add(own);
    return () -> listeners.remove(own);
  }

  /** Reports those of {@code writes} that were acknowledged, by epoch. */
  public void report(Fate fate, List<Write> writes) {
    Map<Long, List<Write>> epochs =
        writes.stream()
            .filter(Write::acknowledged)
            .collect(Collectors.groupingBy(Write::epoch, TreeMap::new, Collectors.toList()));
    epochs.forEach(
        (epoch, ofEpoch) ->
            found(
                new InDoubtWrites<>(
                    cache,
                    epoch,
                    fate,
                    ofEpoch.stream()
                        .map(write -> new InDoubtWrites.Write<>(write.key(), write.stamp()))
                        .toList())));
  }

  private void found(InDoubtWrites<Bytes> report) {
    int number = report.writes().size();
    metrics.doubtful(report.fate(), number);
    if (report.fate() == Fate.KEPT) {
      LOG.info(
          "writes in doubt were kept; cache={} epoch={} writes={}", cache, report.epoch(), number);
    } else {
      LOG.warn(
          "acknowledged writes in doubt; cache={} epoch={} fate={} writes={}",
          cache,
          report.epoch(),
          report.fate(),
          number);
    }
    if (!listeners.isEmpty() && add(report)) {
      try {
        scheduler.execute(this::attend);
      } catch (RejectedExecutionException ended) {
        attend(); // The scheduler has ended: this thread closes the cache.
      }
    }
  }

  private synchronized boolean add(InDoubtWrites<Bytes> report) {
    if (waiting.size() == MOST_WAITING) {
      LOG.error("listeners of writes in doubt are too slow and miss reports; cache={}", cache);
      return false;
    }
    return waiting.add(report);
  }

  /** Delivers the waiting reports, unless another thread does. */
  private void attend() {
    for (InDoubtWrites<Bytes> report = first(); report != null; report = next()) {
      tell(report);
    }
  }

  private synchronized @Nullable InDoubtWrites<Bytes> first() {
    return attended ? null : next();
  }

  private synchronized @Nullable InDoubtWrites<Bytes> next() {
    InDoubtWrites<Bytes> report = waiting.poll();
    attended = report != null;
    return report;
  }

  private void tell(InDoubtWrites<Bytes> report) {
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
    attend();
  }
}
