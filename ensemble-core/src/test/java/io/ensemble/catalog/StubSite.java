package io.ensemble.catalog;

import io.ensemble.cache.lease.ReservedKey;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStatistics;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A site of which only the names of the stores are real. It fails on request. */
public final class StubSite implements Site {

  private final String name;
  public final ConcurrentSkipListMap<String, StoreKind> stores = new ConcurrentSkipListMap<>();
  public final AtomicInteger opens = new AtomicInteger();

  /** How often its statistics were requested. */
  public final AtomicInteger asked = new AtomicInteger();

  public volatile Reason fails;

  /** The failures of the next requests, in order. */
  public final Queue<SiteException> nextFailures = new ConcurrentLinkedQueue<>();

  public volatile SuspicionLevel health = SuspicionLevel.UNASKED;

  public volatile boolean createsButSaysItFailed;
  public volatile boolean closed;

  /** Whether an existing plain store may be opened as a strong one. */
  public volatile boolean topologyKnown = true;

  /** The statistics that it reports. */
  public volatile CompletionStage<SiteStatistics> figures =
      CompletableFuture.completedStage(SiteStatistics.UNKNOWN);

  /** The certificates that it reports. */
  public volatile List<CertificateExpiry> certificates = List.of();

  /** The nodes that it has reported; {@link #nodesOnceOpen} replace them when a store is opened. */
  public volatile Set<InetSocketAddress> nodes = Set.of();

  public volatile Set<InetSocketAddress> nodesOnceOpen = Set.of();

  /** The node keys of the next replicas, in order; a replica beyond these has none. */
  public final Queue<String> nextNodes = new ConcurrentLinkedQueue<>();

  /** The keys of all its nodes; a new replica takes a free one, preferably of one that answers. */
  public volatile List<String> nodeKeys = List.of();

  /** The number of nodes that it reports. */
  public volatile int nodeCount = 1;

  /** The keys of nodes that do not answer. */
  public final Set<String> silentNodes = ConcurrentHashMap.newKeySet();

  /** Stores whose opening is never answered. */
  public final Set<String> hanging = ConcurrentHashMap.newKeySet();

  /** The keys of nodes that die when they are first asked to create a store. */
  public final Set<String> dyingNodes = ConcurrentHashMap.newKeySet();

  /** The number of requests to create a store that it did not fail or refuse. */
  public final AtomicInteger creations = new AtomicInteger();

  /** How many of the next creations are never answered. */
  public final AtomicInteger lostCreations = new AtomicInteger();

  /** Whether it refuses to create stores; {@link #refusals} counts how often. */
  public volatile boolean refusesCreations;

  public final AtomicInteger refusals = new AtomicInteger();

  /** Stores in DEGRADED mode. */
  public final Set<String> degraded = ConcurrentHashMap.newKeySet();

  public StubSite(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String incarnation(String token, StoreKind kind, Set<String> taken) {
    if (kind == StoreKind.REPLICA && !nodeKeys.isEmpty()) {
      return nodeKeys.stream()
          .filter(key -> !taken.contains(key))
          .min(Comparator.comparing(silentNodes::contains))
          .map(key -> token + key)
          .orElseThrow(
              () ->
                  new SiteException(name, Reason.UNSUITABLE, "a replica needs a node of its own"));
    }
    String node = kind == StoreKind.REPLICA ? nextNodes.poll() : null;
    return node == null ? token : token + node;
  }

  @Override
  public CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    return fails == null ? CompletableFuture.completedStage(nodeCount) : failed(fails);
  }

  /** Returns one of the {@link #nodeKeys}. */
  @Override
  public String nodeOf(String store) {
    return nodeKeys.stream().filter(store::endsWith).findFirst().orElse("");
  }

  /** Accepts the key of a node, or the name of a store that ends with it. */
  @Override
  public boolean isSilent(String store) {
    return silentNodes.stream().anyMatch(store::endsWith);
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    SiteException next = nextFailures.poll();
    if (next != null) {
      return CompletableFuture.failedFuture(next);
    }
    if (createsButSaysItFailed) {
      stores.put(store, kind);
      return failed(Reason.TIMED_OUT);
    }
    if (fails != null) {
      return failed(fails);
    }
    if (refusesCreations) {
      refusals.incrementAndGet();
      return failed(Reason.NOT_ALLOWED);
    }
    creations.incrementAndGet();
    if (lostCreations.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      return new CompletableFuture<>();
    }
    dyingNodes.stream().filter(store::endsWith).forEach(silentNodes::add);
    if (isSilent(store)) {
      return failed(Reason.UNREACHABLE);
    }
    stores.put(store, kind);
    return CompletableFuture.completedFuture(new FakeStore(store));
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    opens.incrementAndGet();
    SiteException next = nextFailures.poll();
    if (next != null) {
      return CompletableFuture.failedFuture(next);
    }
    if (fails != null) {
      return failed(fails);
    }
    if (isSilent(store)) {
      return failed(Reason.UNREACHABLE);
    }
    nodes = nodesOnceOpen.isEmpty() ? nodes : nodesOnceOpen;
    if (hanging.contains(store)) {
      return new CompletableFuture<>();
    }
    if (degraded.contains(store) && stores.containsKey(store)) {
      return failed(Reason.DEGRADED);
    }
    if (stores.get(store) == StoreKind.PLAIN && kind != StoreKind.PLAIN) {
      return topologyKnown
          ? CompletableFuture.completedFuture(new FakeStore(store))
          : failed(Reason.UNSUITABLE);
    }
    return stores.get(store) == kind
        ? CompletableFuture.completedFuture(new FakeStore(store))
        : failed(Reason.STORE_LOST);
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    SiteException next = nextFailures.poll();
    if (next != null) {
      return CompletableFuture.failedFuture(next);
    }
    if (fails == Reason.UNREACHABLE) {
      return failed(fails);
    }
    stores.remove(store);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return fails == Reason.UNREACHABLE
        ? failed(fails)
        : CompletableFuture.completedFuture(Set.copyOf(stores.keySet()));
  }

  @Override
  public CompletionStage<List<CertificateExpiry>> certificates(Deadline deadline) {
    return fails == null
        ? CompletableFuture.completedStage(certificates)
        : CompletableFuture.failedStage(new SiteException(name, fails, "planted"));
  }

  @Override
  public CompletionStage<SiteStatistics> figures(Deadline deadline) {
    asked.incrementAndGet();
    return fails == Reason.UNREACHABLE ? failed(fails) : figures;
  }

  @Override
  public SuspicionLevel health() {
    return health;
  }

  @Override
  public Set<InetSocketAddress> nodes() {
    return nodes;
  }

  @Override
  public void close() {
    closed = true;
  }

  private <T> CompletionStage<T> failed(Reason reason) {
    return CompletableFuture.failedFuture(new SiteException(name, reason, "told to fail"));
  }

  final class FakeStore implements SiteStore {

    final String store;

    FakeStore(String store) {
      this.store = store;
    }

    @Override
    public String site() {
      return name;
    }

    @Override
    public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
      if (fails != null) {
        return failed(fails);
      }
      if (stores.containsKey(store) && ReservedKey.isOne(key)) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      return stores.containsKey(store)
          ? CompletableFuture.completedFuture(
              Optional.of(new StoredEntry(Bytes.of(store.getBytes()), 1)))
          : failed(Reason.STORE_LOST);
    }

    @Override
    public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
      return failed(Reason.FAILED);
    }

    @Override
    public CompletionStage<Boolean> replace(
        Bytes key, long version, Bytes value, Deadline deadline) {
      return failed(Reason.FAILED);
    }

    @Override
    public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
      return failed(Reason.FAILED);
    }

    @Override
    public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
      return failed(Reason.FAILED);
    }

    @Override
    public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
      return failed(Reason.FAILED);
    }

    @Override
    public Scan scan(int batchSize) {
      return new Scan() {
        @Override
        public CompletionStage<List<Item>> next(Deadline deadline) {
          return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public void close() {}
      };
    }
  }
}
