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

  private record Told(PrimaryTerm term, long at) {}

  private final Function<String, PrimaryTerm> asking;
  private final Executor elsewhere;
  private final LongSupplier nanoTime;
  private final Map<String, Told> asked = new ConcurrentHashMap<>();
  private final AtomicBoolean isAsking = new AtomicBoolean();
  private volatile String lastAsked = "";
  private long askedAt;
  private boolean hasAsked;

  /**
   * @param asking reads a cache's term; blocks for its sites
   * @param elsewhere runs the polling; may reject it
   */
  public TermPoller(
      Function<String, PrimaryTerm> asking, Executor elsewhere, LongSupplier nanoTime) {
    this.asking = asking;
    this.elsewhere = elsewhere;
    this.nanoTime = nanoTime;
  }

  /**
   * The terms of the SWMR caches for a snapshot.
   *
   * @param seen the terms that this process's own calls have seen, which may be later than the
   *     polled ones
   */
  public Map<String, Map<String, Object>> look(
      Collection<StoredDefinition> caches, Map<String, Map<String, Object>> seen) {
    List<String> names =
        caches.stream()
            .map(StoredDefinition::served)
            .filter(stored -> stored.definition().mode() == Mode.SWMR)
            .map(stored -> stored.definition().name())
            .toList();
    long now = nanoTime.getAsLong();
    if (!names.isEmpty() && (!hasAsked || now - askedAt > APART_NANOS)) {
      hasAsked = true;
      askedAt = now;
      ask(names);
    }
    Map<String, Map<String, Object>> all = new TreeMap<>();
    for (String name : names) {
      Told told = asked.get(name);
      PrimaryTerm term = told != null && now - told.at() < OLD_NANOS ? told.term() : null;
      Map<String, Object> own = seen.get(name);
      if (term != null && (own == null || epoch(own) <= term.epoch())) {
        all.put(name, CacheView.of(term));
      } else if (own != null) {
        all.put(name, own);
      }
    }
    return all;
  }

  private static long epoch(Map<String, Object> own) {
    return own.get("epoch") instanceof Long epoch ? epoch : 0;
  }

  private void ask(List<String> names) {
    if (!isAsking.compareAndSet(false, true)) {
      return;
    }
    try {
      elsewhere.execute(() -> ask(names, nanoTime.getAsLong()));
    } catch (RejectedExecutionException busy) {
      isAsking.set(false); // The next snapshot polls.
    }
  }

  private void ask(List<String> names, long begin) {
    try {
      asked.keySet().retainAll(names);
      for (String name : after(lastAsked, names)) {
        if (nanoTime.getAsLong() - begin >= APART_NANOS) {
          return;
        }
        lastAsked = name;
        asked(name);
      }
    } finally {
      isAsking.set(false);
    }
  }

  /** All names, beginning behind {@code last}. */
  static List<String> after(String last, List<String> names) {
    TreeSet<String> sorted = new TreeSet<>(names);
    List<String> all = new ArrayList<>(sorted.tailSet(last, false));
    all.addAll(sorted.headSet(last, true));
    return all;
  }

  private void asked(String name) {
    try {
      PrimaryTerm term = asking.apply(name);
      asked.put(name, new Told(term, nanoTime.getAsLong()));
    } catch (RuntimeException silent) {
      asked.remove(name); // Too few sites answered, or the cache is gone: its term is unknown.
    }
  }
}
