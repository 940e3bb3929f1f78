package io.ensemble.site.hotrod;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.CacheTopologyInfo;
import org.infinispan.client.hotrod.Flag;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backing cache over Hot Rod. The bounded site enforces deadlines. Stages complete when the
 * client has finished the request, at the latest by its socket timeout and those of the pings
 * before it. After its deadline no request is sent.
 *
 * <p><b>Which response a strong store accepts.</b> A write is applied at a key's owners one after
 * the other. So two clients that read at different nodes may see the write and then not see it.
 * Clients that read at the primary owner do not, as long as they agree on the owner. So a response
 * counts under two conditions. The request went to the owner by the client's topology, and that
 * topology was still the client's when the response came. A server with another topology says so in
 * its response.
 *
 * <p><b>Remaining cases.</b>
 *
 * <ol>
 *   <li>The nodes of a site install a new topology one after the other, and a node that has not
 *       done so answers as the owner that it was. Writes go to the former and the next owners until
 *       all nodes have installed it, so no acknowledged write is missing from such a response. But
 *       a write that is in progress at that moment may be seen at the next owner first and not yet
 *       at the former one.
 *   <li>A node may have been excluded by its peers, because it was paused or partitioned, and may
 *       not have noticed. It answers as an owner too, with data as old as the exclusion: {@code
 *       DENY_READ_WRITES} binds a node only from its own new view on.
 * </ol>
 *
 * <p>Both cases are visible only to a client that reads there while another has read at the next
 * owner, and only until the node receives the news. Such a response becomes an operation's result
 * only if enough other sites for a majority agree with the old data.
 *
 * <p>None of this concerns a {@link StoreKind#REPLICA}: one node holds it, and a {@link
 * ConnectionFence} ensures that responses are of that store.
 */
final class HotRodSiteStore implements SiteStore {

  private static final Logger LOG = LoggerFactory.getLogger(HotRodSiteStore.class);

  /** How often the removal of a listener is tried: for about two minutes. */
  static final int REMOVALS = 8;

  /** The pause after the first attempt; each further one is twice as long. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private static final Duration REMOVAL = Duration.ofSeconds(5);

  private final StoreKind kind;
  private final HotRodResponses hotRodResponses;
  private final String name;
  private final Scheduler scheduler;
  private final boolean isFenced;
  private final BlockingCallExecutor registrations;
  private final Set<StoreObserver> observers = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Connection connection;

  /**
   * @param topologies a number that changes whenever the client has another topology
   * @param doubt is new for each client: a former client may have lost its ping
   */
  private record Connection(
      RemoteCache<byte[], byte[]> cache,
      RemoteCache<byte[], byte[]> returning,
      IntSupplier topologies,
      StorePingGuard doubt,
      ConnectionFence fence) {

    Connection(
        RemoteCache<byte[], byte[]> cache,
        String site,
        IntSupplier topologies,
        StorePing hail,
        ConnectionFence fence) {
      this(
          cache,
          cache.withFlags(Flag.FORCE_RETURN_VALUE),
          topologies,
          new StorePingGuard(() -> hail.heard(site, cache.getName())),
          fence);
    }
  }

  /**
   * @param topologies a number that changes whenever the client has another topology
   * @param registrations registers listeners, which blocks
   */
  HotRodSiteStore(
      StoreKind kind,
      RemoteCache<byte[], byte[]> cache,
      HotRodResponses hotRodResponses,
      Scheduler scheduler,
      IntSupplier topologies,
      StorePing hail,
      ConnectionFence fence,
      BlockingCallExecutor registrations) {
    this.kind = kind;
    this.registrations = registrations;
    this.isFenced = fence != ConnectionFence.NONE;
    this.hotRodResponses = hotRodResponses;
    this.scheduler = scheduler;
    this.name = cache.getName();
    this.connection = new Connection(cache, hotRodResponses.site(), topologies, hail, fence);
  }

  static HotRodSiteStore of(
      StoreKind kind,
      RemoteCache<byte[], byte[]> cache,
      HotRodResponses hotRodResponses,
      Scheduler scheduler,
      BlockingCallExecutor registrations) {
    IntSupplier topologies = TrackingBalancer.of(cache)::topologies;
    return new HotRodSiteStore(
        kind,
        cache,
        hotRodResponses,
        scheduler,
        topologies,
        StorePing.of(cache),
        ConnectionFence.NONE,
        registrations);
  }

  /**
   * One node's store.
   *
   * @param cache of a client that uses that node alone
   * @param connections how many connections that client has begun
   */
  static HotRodSiteStore fenced(
      RemoteCache<byte[], byte[]> cache,
      HotRodResponses hotRodResponses,
      Scheduler scheduler,
      LongSupplier connections,
      BlockingCallExecutor registrations) {
    return new HotRodSiteStore(
        StoreKind.REPLICA,
        cache,
        hotRodResponses,
        scheduler,
        () -> 0,
        StorePing.of(cache),
        fence(cache, hotRodResponses.site(), connections),
        registrations);
  }

  private static ConnectionFence fence(
      RemoteCache<byte[], byte[]> cache, String site, LongSupplier connections) {
    StorePing hail = StorePing.of(cache);
    String store = cache.getName();
    return new ConnectionFence(
        site,
        store,
        connections,
        () ->
            hail.heard(site, store)
                .thenCompose(here -> cache.getAsync(StoreMarker.KEY.array()))
                .thenAccept(found -> StoreMarker.check(site, store, found)));
  }

  /** Switches to {@code cache}: the same store, by another client. */
  void connect(RemoteCache<byte[], byte[]> cache, LongSupplier connections) {
    IntSupplier topologies = isFenced ? () -> 0 : TrackingBalancer.of(cache)::topologies;
    ConnectionFence fence = isFenced ? fence(cache, site(), connections) : ConnectionFence.NONE;
    connection = new Connection(cache, site(), topologies, StorePing.of(cache), fence);
    interruptObservers(); // Their listeners were those of the former client.
  }

  /** Completes when the store is verified to exist. */
  CompletionStage<Long> verify() {
    Connection to = connection;
    if (to == null) { // The client is being replaced by another.
      String detail = "the client was replaced; store=" + name;
      return CompletableFuture.failedStage(
          SiteException.notSent(site(), Reason.UNREACHABLE, detail));
    }
    return to.fence().verify();
  }

  /** Writes the marker, by which a new store counts as existing. */
  CompletionStage<Void> mark(Deadline deadline) {
    byte[] marker = StoreMarker.of(name).array();
    return hotRodResponses.to(
        what("mark"),
        () -> inTime("mark", deadline, () -> cache().putAsync(StoreMarker.KEY.array(), marker)),
        previous -> null);
  }

  /** Records that the client that replaced the former one did not find the store at the site. */
  void lose() {
    connection = null;
    interruptObservers();
  }

  private void interruptObservers() {
    for (StoreObserver observer : List.copyOf(observers)) {
      observers.remove(observer);
      observer.interrupted();
    }
  }

  /**
   * Registers a listener of the client. Reads first, at the price of a round trip: at a site that
   * is down, the client would print an error on the console.
   */
  @Override
  public CompletionStage<Runnable> observe(StoreObserver observer, Deadline deadline) {
    Connection to = connection;
    if (to == null) {
      return CompletableFuture.failedStage(lost());
    }
    StoreListener listener = new StoreListener(name, observer);
    return get(StoreMarker.KEY, deadline)
        .thenCompose(
            marker ->
                registrations.<Runnable>run(
                    what("observe"),
                    deadline,
                    () -> {
                      to.cache().addClientListener(listener);
                      if (deadline.hasPassed(scheduler)) {
                        // The caller has been told that it failed, and will not end it.
                        forget(to, listener, observer);
                        throw new IllegalStateException("a listener was registered too late");
                      }
                      return () -> forget(to, listener, observer);
                    }))
        .whenComplete(
            (end, failure) -> {
              if (failure == null) {
                observers.add(observer);
              }
            });
  }

  private void forget(Connection to, StoreListener listener, StoreObserver observer) {
    observers.remove(observer);
    removeListener(to, listener, 1);
  }

  /**
   * Removes a listener from the site, which may be away now. Each attempt has a deadline, and the
   * next one follows after a pause. When the client is replaced, its listeners end with its
   * connections.
   */
  private void removeListener(Connection to, StoreListener listener, int attempt) {
    if (connection != to) {
      return;
    }
    registrations
        .run(
            what("remove a listener"),
            Deadline.after(REMOVAL, scheduler),
            () -> {
              to.cache().removeClientListener(listener);
              return true;
            })
        .whenComplete(
            (removed, failure) -> {
              if (failure == null) {
                return;
              }
              if (attempt == REMOVALS) {
                LOG.warn(
                    "a listener stays at the site until its client is replaced; store={} site={}"
                        + " attempts={}",
                    name,
                    site(),
                    attempt,
                    failure);
                return;
              }
              long pause = FIRST_PAUSE.toNanos() << (attempt - 1);
              try {
                scheduler.after(pause, () -> removeListener(to, listener, attempt + 1));
              } catch (RejectedExecutionException ended) {
                LOG.debug("the scheduler has ended; store={}", name);
              }
            });
  }

  private Connection connected() {
    Connection to = connection;
    if (to == null) {
      throw lost();
    }
    return to;
  }

  private SiteException lost() {
    String detail = "the site no longer has the store; store=" + name;
    return SiteException.notSent(site(), Reason.STORE_LOST, detail);
  }

  private RemoteCache<byte[], byte[]> cache() {
    return connected().cache();
  }

  String name() {
    return name;
  }

  /**
   * The nodes that hold the store, as last announced by the site; none before that. Not resolved.
   */
  Set<InetSocketAddress> nodes() {
    Connection to = connection;
    CacheTopologyInfo topology = to == null ? null : to.cache().getCacheTopologyInfo();
    if (topology == null || topology.getTopologyId() == -1 || topology.getNumSegments() == null) {
      return Set.of();
    }
    Set<InetSocketAddress> nodes = new HashSet<>();
    for (SocketAddress node : topology.getSegmentsPerServer().keySet()) {
      if (node instanceof InetSocketAddress at) {
        nodes.add(InetSocketAddress.createUnresolved(at.getHostString(), at.getPort()));
      }
    }
    return nodes;
  }

  @Override
  public String site() {
    return hotRodResponses.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return ask(
        "read",
        deadline,
        to -> kind == StoreKind.ACCEPTOR ? readAtOwner(key, true) : readAnywhere(key, to),
        HotRodSiteStore::entry);
  }

  private static CompletableFuture<@Nullable MetadataValue<byte[]>> readAnywhere(
      Bytes key, Connection to) {
    return to.cache().getWithMetadataAsync(key.array());
  }

  /**
   * Reads at the key's owner. A response that does not come from the owner may be older than data
   * that another client has seen, and a majority that agrees would not reveal that. Such a response
   * is dropped. The response brought the missing topology or connection, so that a second read goes
   * to the owner. The topology number is read before the request is routed. If the topology changes
   * in between, a response is dropped needlessly, but never accepted wrongly.
   */
  private CompletableFuture<@Nullable MetadataValue<byte[]>> readAtOwner(Bytes key, boolean again) {
    Connection to = connected();
    int topology = to.topologies().getAsInt();
    int before = TrackingBalancer.asked();
    CompletableFuture<@Nullable MetadataValue<byte[]>> answer = readAnywhere(key, to);
    boolean elsewhere = TrackingBalancer.asked() != before;
    return answer.thenCompose(
        found -> {
          if (!elsewhere && to.topologies().getAsInt() == topology) {
            return answer;
          }
          return again
              ? readAtOwner(key, false)
              : CompletableFuture.failedFuture(elsewhere ? noOwner() : movedOn());
        });
  }

  private SiteException noOwner() {
    return notTheOwner("the node that owns the key cannot be reached");
  }

  private SiteException movedOn() {
    return notTheOwner("the site's topology changed during the read and its repetition");
  }

  private SiteException notTheOwner(String why) {
    String detail = why + ", another node might return an old value; ";
    return new SiteException(site(), Reason.UNREACHABLE, detail + what("read"));
  }

  private static Optional<StoredEntry> entry(@Nullable MetadataValue<byte[]> found) {
    return found == null
        ? Optional.empty()
        : Optional.of(new StoredEntry(Bytes.of(found.getValue()), found.getVersion()));
  }

  @Override
  public boolean isNodeLocal() {
    return kind == StoreKind.REPLICA;
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
    if (kind == StoreKind.ACCEPTOR) {
      return SiteStore.super.get(key, deadline);
    }
    return ask("get", deadline, to -> to.cache().getAsync(key.array()), HotRodSiteStore::value);
  }

  private static Optional<Bytes> value(byte @Nullable [] found) {
    return found == null ? Optional.empty() : Optional.of(Bytes.of(found));
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    // Only the previous value shows the outcome: without the flag the response is null in both
    // cases.
    return ask(
        "putIfAbsent",
        deadline,
        to -> to.returning().putIfAbsentAsync(key.array(), value.array()),
        Objects::isNull);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return ask(
        "replace",
        deadline,
        to -> to.cache().replaceWithVersionAsync(key.array(), value.array(), version),
        Function.identity());
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return ask(
        "remove",
        deadline,
        to -> to.cache().removeWithVersionAsync(key.array(), version),
        Function.identity());
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return ask(
        "put", deadline, to -> to.cache().putAsync(key.array(), value.array()), previous -> null);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return ask(
        "getAndPut",
        deadline,
        to -> to.returning().putAsync(key.array(), value.array()),
        previous -> Optional.ofNullable(previous).map(Bytes::of));
  }

  @Override
  public Scan scan(int batchSize) {
    HotRodScan scan =
        new HotRodScan(this::cache, () -> connected().doubt(), batchSize, hotRodResponses);
    return isFenced ? fenced(scan) : scan;
  }

  private Scan fenced(Scan scan) {
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return StoreMarker.without(() -> connected().fence().guarded(() -> scan.next(deadline)));
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  private <A extends @Nullable Object, B> CompletionStage<B> ask(
      String request,
      Deadline deadline,
      Function<Connection, ? extends CompletionStage<A>> call,
      Function<A, B> read) {
    Connection to = connection;
    if (to == null) {
      return CompletableFuture.failedStage(lost());
    }
    StorePingGuard doubt = to.doubt();
    return hotRodResponses
        .to(
            what(request),
            () ->
                doubt.admitted(
                    () ->
                        to.fence().guarded(() -> inTime(request, deadline, () -> call.apply(to)))),
            read)
        .whenComplete((answer, failure) -> doubt.noted(failure));
  }

  /**
   * Sends a request unless its deadline has passed. A ping may take longer than a caller waits, and
   * a request without a waiting caller must not reach the site.
   */
  private <A extends @Nullable Object> CompletionStage<A> inTime(
      String request, Deadline deadline, Supplier<? extends CompletionStage<A>> call) {
    if (deadline.hasPassed(scheduler)) {
      String detail = "not sent, the deadline has passed; " + what(request);
      return CompletableFuture.failedStage(SiteException.notSent(site(), Reason.TIMED_OUT, detail));
    }
    return call.get();
  }

  private String what(String request) {
    return "store=" + name + " request=" + request;
  }
}
