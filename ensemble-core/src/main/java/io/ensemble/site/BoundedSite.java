package io.ensemble.site;

import io.ensemble.detect.PhiAccrualDetector;
import io.ensemble.detect.PhiAccrualSettings;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A site whose requests are bounded in number and time, whatever the site behind it does. {@link
 * SiteLimits} set how many requests are in flight and how many wait. A request beyond that fails
 * with {@link SiteException.Reason#BUSY}. Each request completes at its deadline at the latest,
 * even when the site behind completes its own later. A site that stays silent eight times in a row
 * is suspected. Then requests fail immediately with {@link SiteException.Reason#UNREACHABLE},
 * except a probe every 0.2 s to 2 s, until the site answers one. Thread-safe; adds no round trip.
 */
public final class BoundedSite implements Site {

  private final Site site;
  private final SiteLimits limits;
  private final Scheduler scheduler;
  private final RequestWindow window;
  private final PhiAccrualDetector phiAccrualDetector =
      new PhiAccrualDetector(PhiAccrualSettings.STANDARD);

  /** One window for each node that alone holds stores, by {@link Site#nodeOf}. */
  private final Map<String, RequestWindow> nodes = new ConcurrentHashMap<>();

  /**
   * @param site does the work; its stages complete on {@code scheduler}, perhaps after their
   *     deadline
   */
  public BoundedSite(Site site, SiteLimits limits, Scheduler scheduler) {
    this.site = site;
    this.limits = limits;
    this.scheduler = scheduler;
    this.window =
        new RequestWindow(site.name(), limits, scheduler, site::renew, phiAccrualDetector);
  }

  private RequestWindow window(String store) {
    String node = site.nodeOf(store);
    return node.isEmpty()
        ? window
        : nodes.computeIfAbsent(
            node,
            one ->
                new RequestWindow(
                    site.name(), limits, scheduler, () -> site.renew(one), phiAccrualDetector));
  }

  private IntStream ofAll(ToIntFunction<RequestWindow> figure) {
    return Stream.concat(Stream.of(window), nodes.values().stream()).mapToInt(figure);
  }

  /** The number of requests that were sent and not answered. */
  public int inFlight() {
    return ofAll(RequestWindow::inFlight).sum();
  }

  /** The number of requests that wait for their turn. */
  public int waiting() {
    return ofAll(RequestWindow::waiting).sum();
  }

  /** Whether the site has stopped answering, not counting stores that one node alone holds. */
  public boolean isSuspected() {
    return window.isSuspected();
  }

  @Override
  public String name() {
    return site.name();
  }

  @Override
  public String incarnation(String token, StoreKind kind, Set<String> taken) {
    return site.incarnation(token, kind, taken);
  }

  @Override
  public CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    StoreNames.check(probe);
    return window.submit(deadline, () -> site.countNodes(probe, deadline));
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    StoreNames.check(store);
    return window(store)
        .submit(deadline, () -> site.create(store, kind, deadline))
        .thenApply(made -> new BoundedStore(store, made));
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    StoreNames.check(store);
    return window(store)
        .submit(deadline, () -> site.open(store, kind, deadline))
        .thenApply(found -> new BoundedStore(store, found));
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    StoreNames.check(store);
    return window.submit(deadline, () -> site.remove(store, deadline));
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return window.submit(deadline, () -> site.stores(deadline));
  }

  @Override
  public CompletionStage<SiteStatistics> figures(Deadline deadline) {
    return window.submit(deadline, () -> site.figures(deadline));
  }

  @Override
  public CompletionStage<StoreStatistics> figures(String store, Deadline deadline) {
    return window(store).submit(deadline, () -> site.figures(store, deadline));
  }

  @Override
  public SuspicionLevel health() {
    return window.health();
  }

  @Override
  public String nodeOf(String store) {
    return site.nodeOf(store);
  }

  @Override
  public boolean isSilent(String node) {
    return site.isSilent(node);
  }

  @Override
  public boolean isOnDisk() {
    return site.isOnDisk();
  }

  @Override
  public void renew() {
    site.renew();
  }

  @Override
  public void renew(String node) {
    site.renew(node);
  }

  @Override
  public void moved() {
    site.moved();
  }

  @Override
  public Set<InetSocketAddress> nodes() {
    return site.nodes();
  }

  /**
   * Outside the window: a handshake is no response to a request, and a silent node is no failure.
   */
  @Override
  public CompletionStage<List<CertificateExpiry>> certificates(Deadline deadline) {
    return site.certificates(deadline);
  }

  /** Closes the site; requests in progress fail. */
  @Override
  public void close() {
    window.close();
    nodes.values().forEach(RequestWindow::close);
    site.close();
  }

  private Deadline nearer(Deadline deadline) {
    long latest = scheduler.nanos() + limits.longestRequest().toNanos();
    return deadline.atNanos() - latest <= 0 ? deadline : deadline.at(latest);
  }

  private final class BoundedStore implements SiteStore {

    private final String name;
    private final SiteStore store;
    private final RequestWindow node;
    private final boolean isPrioritized;

    BoundedStore(String name, SiteStore store) {
      this(name, store, false);
    }

    private BoundedStore(String name, SiteStore store, boolean isPrioritized) {
      this.name = name;
      this.store = store;
      this.node = window(name);
      this.isPrioritized = isPrioritized;
    }

    private <T> CompletionStage<T> ask(
        Deadline deadline, Function<Deadline, CompletionStage<T>> call) {
      Deadline nearer = nearer(deadline);
      return isPrioritized
          ? node.submitPrioritized(nearer, () -> call.apply(nearer))
          : node.submit(nearer, () -> call.apply(nearer));
    }

    @Override
    public boolean isNodeLocal() {
      return store.isNodeLocal();
    }

    @Override
    public SiteStore prioritized() {
      return new BoundedStore(name, store, true);
    }

    @Override
    public String site() {
      return store.site();
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      return ask(deadline, end -> store.read(key, end));
    }

    @Override
    public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
      return ask(deadline, end -> store.get(key, end));
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      checkNotEmpty(value);
      return ask(deadline, end -> store.putIfAbsent(key, value, end));
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      checkNotEmpty(value);
      return ask(deadline, end -> store.replace(key, version, value, end));
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      return ask(deadline, end -> store.remove(key, version, end));
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      checkNotEmpty(value);
      return ask(deadline, end -> store.put(key, value, end));
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      checkNotEmpty(value);
      return ask(deadline, end -> store.getAndPut(key, value, end));
    }

    @Override
    public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
      return ask(deadline, end -> store.observe(observer, end));
    }

    /**
     * Rejects an empty value: over Hot Rod, an empty previous value cannot be distinguished from
     * none.
     */
    private void checkNotEmpty(Bytes value) {
      if (value.size() == 0) {
        throw new IllegalArgumentException(
            "a stored value must have at least 1 byte; got none; site=" + site());
      }
    }

    @Override
    public Scan scan(int batchSize) {
      return new BoundedScan(new ResumableScan(site(), name, () -> store.scan(batchSize)), node);
    }
  }

  private final class BoundedScan implements SiteStore.Scan {

    private final ResumableScan scan;
    private final RequestWindow node;

    BoundedScan(ResumableScan scan, RequestWindow node) {
      this.scan = scan;
      this.node = node;
    }

    @Override
    public CompletionStage<List<Item>> next(Deadline deadline) {
      SiteException end = scan.end();
      if (end != null) {
        return CompletableFuture.failedStage(end);
      }
      Deadline nearer = nearer(deadline);
      return node.submit(nearer, () -> scan.next(nearer))
          .thenApply(scan::delivered)
          .exceptionallyCompose(failure -> CompletableFuture.failedStage(told(failure)));
    }

    private Throwable told(Throwable failure) {
      Throwable why = ResumableScan.unwrapped(failure);
      return why instanceof SiteException known ? scan.told(known) : why;
    }

    @Override
    public void close() {
      scan.close();
    }
  }
}
