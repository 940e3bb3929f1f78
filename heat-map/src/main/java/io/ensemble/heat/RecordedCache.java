package io.ensemble.heat;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.heat.HeatSketch.SiteRequests;
import io.ensemble.site.Bytes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The operations of this process on one cache: those of the open window. Thread-safe. */
final class RecordedCache implements CacheOperationRecorder {

  /** The requests to one site since the process began, and until the window began. */
  private static final class SiteCounter {
    final LongAdder reads = new LongAdder();
    final LongAdder writes = new LongAdder();
    private SiteRequests before = new SiteRequests(0, 0);

    synchronized SiteRequests sinceBefore() {
      SiteRequests now = new SiteRequests(reads.sum(), writes.sum());
      SiteRequests more =
          new SiteRequests(now.reads() - before.reads(), now.writes() - before.writes());
      before = now;
      return more;
    }
  }

  private final String name;
  private final boolean isHmac;
  private final Predicate<RecordedCache> admission;
  private final LongAdder missed;
  private final RoundTrips roundTrips;
  private final Map<String, SiteCounter> sites = new ConcurrentHashMap<>();
  private volatile @Nullable StripedSketch open;

  /** Whether the window was refused; then operations until its end take no lock. */
  private volatile boolean isRefused;

  /**
   * @param admission whether a window of the cache may begin; the permit is returned when it ends
   * @param missed counts the operations that are not recorded
   * @param roundTrips receives the times of requests to sites, of all caches of the process
   */
  RecordedCache(
      String name,
      boolean isHmac,
      Predicate<RecordedCache> admission,
      LongAdder missed,
      RoundTrips roundTrips) {
    this.name = name;
    this.isHmac = isHmac;
    this.admission = admission;
    this.missed = missed;
    this.roundTrips = roundTrips;
  }

  String name() {
    return name;
  }

  boolean isHmac() {
    return isHmac;
  }

  @Override
  public void read(Bytes key, int valueBytes) {
    add(key, valueBytes, false);
  }

  @Override
  public void write(Bytes key, int valueBytes) {
    add(key, valueBytes, true);
  }

  @Override
  public void request(String site, boolean writes, long nanos) {
    SiteCounter counter = sites.get(site);
    if (counter == null) {
      String shown = sites.size() < HeatSketch.MOST_SITES ? site : HeatSketch.OTHER_SITES;
      counter = sites.computeIfAbsent(shown, any -> new SiteCounter());
    }
    (writes ? counter.writes : counter.reads).increment();
    if (nanos != NO_TIME) {
      roundTrips.add(site, nanos);
    }
  }

  private void add(Bytes key, int valueBytes, boolean writes) {
    StripedSketch window = open;
    if (window != null && window.add(key, valueBytes, writes)) {
      return;
    }
    StripedSketch next = isRefused ? null : begun();
    // A window that ends between the two lines has lasted for no time: the operation is missed.
    if (next == null || !next.add(key, valueBytes, writes)) {
      missed.increment();
    }
  }

  private synchronized @Nullable StripedSketch begun() {
    if (open == null && !isRefused) {
      if (admission.test(this)) {
        open = new StripedSketch(isHmac);
      } else {
        isRefused = true;
      }
    }
    return open;
  }

  /** Lets the next operation ask for a window again, if the last one was refused. */
  void readmit() {
    if (isRefused) {
      synchronized (this) { // After a refusal that is being decided now.
        isRefused = false;
      }
    }
  }

  /** Ends the window. Null if it had no operation; the requests to sites are then not kept. */
  @Nullable HeatSketch close() {
    StripedSketch window;
    synchronized (this) {
      window = open;
      open = null;
    }
    HeatSketch closed = window == null ? null : window.close();
    sites.forEach(
        (site, counter) -> {
          SiteRequests more = counter.sinceBefore();
          if (closed != null && more.reads() + more.writes() > 0) {
            closed.requests(site, more);
          }
        });
    return closed;
  }
}
