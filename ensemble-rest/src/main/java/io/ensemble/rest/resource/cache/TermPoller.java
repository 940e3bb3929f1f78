package io.ensemble.rest.resource.cache;

import io.ensemble.Mode;
import io.ensemble.PrimaryTerm;
import io.ensemble.catalog.definition.StoredDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The terms of SWMR caches. The poller asks the sites of one cache after another periodically,
 * besides the snapshots. A later term seen by this process's own calls replaces the polled one. A
 * round ends when the next round is due, and the next one continues behind the last cache asked. A
 * term that was not confirmed for several rounds is omitted. One thread takes snapshots at a time.
 */
public final class TermPoller {

  private static final long APART_NANOS = Duration.ofSeconds(5).toNanos();
  private static final long OLD_NANOS = Duration.ofSeconds(30).toNanos();

  private record Told(PrimaryTerm term, long readNanos) {}

  private final Function<String, PrimaryTerm> termReader;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final Map<String, Told> polledTerms = new ConcurrentHashMap<>();
  private final AtomicBoolean isPolling = new AtomicBoolean();
  private volatile String lastPolledCache = "";
  private long lastPollNanos;
  private boolean hasPolled;

  /**
   * @param termReader reads a cache's term; blocks for its sites
   * @param executor runs the polling; may reject it
   */
  public TermPoller(
      Function<String, PrimaryTerm> termReader, Executor executor, LongSupplier nanoTime) {
    this.termReader = termReader;
    this.executor = executor;
    this.nanoTime = nanoTime;
  }

  /**
   * The terms of the SWMR caches for a snapshot.
   *
   * @param observedTerms the terms that this process's own calls have seen, which may be later than
   *     the polled ones
   */
  public Map<String, Map<String, Object>> collectTerms(
      Collection<StoredDefinition> caches, Map<String, Map<String, Object>> observedTerms) {
    List<String> names =
        caches.stream()
            .map(StoredDefinition::served)
            .filter(stored -> stored.definition().mode() == Mode.SWMR)
            .map(stored -> stored.definition().name())
            .toList();
    long now = nanoTime.getAsLong();
    if (!names.isEmpty() && (!hasPolled || now - lastPollNanos > APART_NANOS)) {
      hasPolled = true;
      lastPollNanos = now;
      startPoll(names);
    }
    Map<String, Map<String, Object>> terms = new TreeMap<>();
    for (String name : names) {
      Told polled = polledTerms.get(name);
      PrimaryTerm term =
          polled != null && now - polled.readNanos() < OLD_NANOS ? polled.term() : null;
      Map<String, Object> observed = observedTerms.get(name);
      if (term != null && (observed == null || epoch(observed) <= term.epoch())) {
        terms.put(name, CacheView.of(term));
      } else if (observed != null) {
        terms.put(name, observed);
      }
    }
    return terms;
  }

  private static long epoch(Map<String, Object> term) {
    return term.get("epoch") instanceof Long epoch ? epoch : 0;
  }

  private void startPoll(List<String> names) {
    if (!isPolling.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(() -> pollAll(names, nanoTime.getAsLong()));
    } catch (RejectedExecutionException busy) {
      isPolling.set(false); // The next snapshot polls.
    }
  }

  private void pollAll(List<String> names, long beginNanos) {
    try {
      polledTerms.keySet().retainAll(names);
      for (String name : orderAfter(lastPolledCache, names)) {
        if (nanoTime.getAsLong() - beginNanos >= APART_NANOS) {
          return;
        }
        lastPolledCache = name;
        poll(name);
      }
    } finally {
      isPolling.set(false);
    }
  }

  /** All names, beginning behind {@code last}. */
  public static List<String> orderAfter(String last, List<String> names) {
    TreeSet<String> sorted = new TreeSet<>(names);
    List<String> ordered = new ArrayList<>(sorted.tailSet(last, false));
    ordered.addAll(sorted.headSet(last, true));
    return ordered;
  }

  private void poll(String name) {
    try {
      PrimaryTerm term = termReader.apply(name);
      polledTerms.put(name, new Told(term, nanoTime.getAsLong()));
    } catch (RuntimeException silent) {
      polledTerms.remove(
          name); // Too few sites answered, or the cache is gone: its term is unknown.
    }
  }
}
