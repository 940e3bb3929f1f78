package io.ensemble.cache.swmr;

import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.call.Inbox;
import io.ensemble.cache.swmr.Place.Write;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the log, the metrics and the application of doubtful writes, one report at a time.
 * Thread-safe.
 */
final class DoubtReports {

  private static final Logger LOG = LoggerFactory.getLogger(DoubtReports.class);

  private final String cache;
  private final Scheduler scheduler;
  private final CacheMetrics metrics;
  private final List<Consumer<DoubtfulWrites<Bytes>>> listeners = new CopyOnWriteArrayList<>();
  private final Inbox<DoubtfulWrites<Bytes>> reports = new Inbox<>(this::tell);

  DoubtReports(String cache, Scheduler scheduler, CacheMetrics metrics) {
    this.cache = cache;
    this.scheduler = scheduler;
    this.metrics = metrics;
  }

  /** A listener from now on; what is returned ends that. */
  Runnable listen(Consumer<DoubtfulWrites<Bytes>> listener) {
    // A wrapper, so that a listener given twice is told twice and ended once at a time.
    Consumer<DoubtfulWrites<Bytes>> own = listener::accept;
    listeners.add(own);
    return () -> listeners.remove(own);
  }

  /** Reports those of {@code writes} that were acknowledged, by epoch. */
  void report(Fate fate, List<Write> writes) {
    Map<Long, List<Write>> epochs =
        writes.stream()
            .filter(Write::acknowledged)
            .collect(Collectors.groupingBy(Write::epoch, TreeMap::new, Collectors.toList()));
    epochs.forEach(
        (epoch, ofEpoch) ->
            reports.put(
                new DoubtfulWrites<>(
                    cache,
                    epoch,
                    fate,
                    ofEpoch.stream()
                        .map(write -> new DoubtfulWrites.Write<>(write.key(), write.stamp()))
                        .toList())));
  }

  private @Nullable Runnable tell(DoubtfulWrites<Bytes> report) {
    int number = report.writes().size();
    metrics.doubtful(report.fate(), number);
    if (report.fate() == Fate.KEPT) {
      LOG.info(
          "doubtful writes were kept; cache={} epoch={} writes={}", cache, report.epoch(), number);
    } else {
      LOG.warn(
          "acknowledged writes in doubt; cache={} epoch={} fate={} writes={}",
          cache,
          report.epoch(),
          report.fate(),
          number);
    }
    for (Consumer<DoubtfulWrites<Bytes>> listener : listeners) {
      try {
        scheduler.aside(
            () -> {
              listener.accept(report);
              return true;
            });
      } catch (RuntimeException | Error thrown) {
        LOG.error("a listener of doubtful writes failed; cache={}", cache, thrown);
      }
    }
    return null;
  }
}
