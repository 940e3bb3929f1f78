package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreObserver;
import io.ensemble.site.StoredEntry;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads that another node than the key's owner may have answered. */
@Timeout(90)
class HotRodSiteStoreTest {

  private static final SocketAddress A = InetSocketAddress.createUnresolved("a", 1);
  private static final SocketAddress B = InetSocketAddress.createUnresolved("b", 1);

  private static final Bytes KEY = Bytes.of((byte) 7);

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final TrackingBalancer watch = new TrackingBalancer();
  private final StorePing hail = new StorePing(this::hailed, watch::nodes);
  private final Deque<CompletableFuture<Boolean>> hails = new ArrayDeque<>();
  private final Deque<RuntimeException> failures = new ArrayDeque<>();
  private int hailed;
  private int reads;
  private int sentElsewhere;
  private int bringingTopology;
  private final AtomicInteger failingRemovals = new AtomicInteger();
  private final Semaphore removals = new Semaphore(0);

  @AfterEach
  void close() {
    scheduler.close();
  }

  /** A store whose client sends the first reads to another node and numbers all in the versions. */
  private HotRodSiteStore store(StoreKind kind, int elsewhere) {
    sentElsewhere = elsewhere;
    watch.setServers(List.of(A, B));
    Object cache =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {RemoteCache.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "withFlags" -> self;
                  case "getName" -> "s";
                  case "getWithMetadataAsync" -> read();
                  case "addClientListener" -> null;
                  case "removeClientListener" -> removeListener();
                  case "getAsync" -> CompletableFuture.completedFuture(null);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    @SuppressWarnings("unchecked")
    RemoteCache<byte[], byte[]> typed = (RemoteCache<byte[], byte[]>) cache;
    return new HotRodSiteStore(
        kind,
        typed,
        new HotRodResponses("lyon"),
        scheduler,
        watch::topologies,
        hail,
        ConnectionFence.NONE,
        new BlockingCallExecutor("observe", 1, new HotRodResponses("lyon"), scheduler));
  }

  private @Nullable Object removeListener() {
    removals.release();
    if (failingRemovals.getAndDecrement() > 0) {
      throw new TransportException("told to fail", A);
    }
    return null;
  }

  private CompletableFuture<Boolean> hailed() {
    hailed++;
    return hails.remove();
  }

  private CompletableFuture<Object> read() {
    if (!failures.isEmpty()) {
      reads++;
      return CompletableFuture.failedFuture(failures.remove());
    }
    if (reads++ < sentElsewhere) {
      watch.nextServer(Set.of());
    }
    boolean moved = reads <= bringingTopology;
    long version = reads;
    Object value =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {MetadataValue.class},
            (self, method, arguments) ->
                method.getName().equals("getVersion") ? version : new byte[] {1});
    return CompletableFuture.supplyAsync(
        () -> {
          if (moved) {
            watch.setServers(List.of(B, A));
          }
          return value;
        },
        scheduler);
  }

  private CompletableFuture<Optional<StoredEntry>> reading(StoreKind kind, int elsewhere) {
    return store(kind, elsewhere).read(KEY, deadline()).toCompletableFuture();
  }

  private Deadline deadline() {
    return Deadline.after(Duration.ofSeconds(20), scheduler);
  }

  private static long version(CompletableFuture<Optional<StoredEntry>> read) throws Exception {
    return read.get(20, TimeUnit.SECONDS).orElseThrow().version();
  }

  /** The site may be away when a stream is closed; its listener must not stay for that. */
  @Test
  void theRemovalOfAListenerIsRepeatedUntilItSucceeds() throws Exception {
    failingRemovals.set(1);
    Runnable end = observed(store(StoreKind.ACCEPTOR, 0));

    end.run();

    assertThat(removals.tryAcquire(2, 60, TimeUnit.SECONDS)).isTrue();
    assertThat(removals.tryAcquire(HotRodSiteStore.FIRST_PAUSE.toMillis(), TimeUnit.MILLISECONDS))
        .as("a further attempt after the one that succeeded")
        .isFalse();
  }

  @Test
  void aListenerOfAReplacedClientEndsWithItsConnections() throws Exception {
    failingRemovals.set(Integer.MAX_VALUE);
    HotRodSiteStore store = store(StoreKind.ACCEPTOR, 0);
    Runnable end = observed(store);
    end.run();
    assertThat(removals.tryAcquire(60, TimeUnit.SECONDS)).isTrue();

    store.lose();

    assertThat(
            removals.tryAcquire(2 * HotRodSiteStore.FIRST_PAUSE.toMillis(), TimeUnit.MILLISECONDS))
        .isFalse();
  }

  private Runnable observed(HotRodSiteStore store) throws Exception {
    StoreObserver observer =
        new StoreObserver() {
          @Override
          public void stored(Bytes key, Bytes value) {}

          @Override
          public void interrupted() {}
        };
    return store.observe(observer, deadline()).toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  @Test
  void aReadAtTheOwnerIsOneRequest() throws Exception {
    assertThat(version(reading(StoreKind.ACCEPTOR, 0))).isEqualTo(1);
  }

  @Test
  void aStrongStoreReadsAgainWhenAnotherNodeAnswered() throws Exception {
    assertThat(version(reading(StoreKind.ACCEPTOR, 1))).isEqualTo(2);
  }

  private void assertUnreachable(CompletableFuture<?> read, String why) throws Exception {
    try {
      read.get(20, TimeUnit.SECONDS);
      throw new AssertionError("answered by another node");
    } catch (ExecutionException failed) {
      assertThat(failed.getCause()).isInstanceOf(SiteException.class);
      assertThat(((SiteException) failed.getCause()).reason()).isEqualTo(Reason.UNREACHABLE);
      assertThat(failed.getCause())
          .hasMessageContaining(why)
          .hasMessageContaining("store=s")
          .hasMessageContaining("site=lyon");
    }
    assertThat(reads).isEqualTo(2);
  }

  @Test
  void aStrongStoreStopsRetryingWhenTheOwnerStaysAway() throws Exception {
    assertUnreachable(reading(StoreKind.ACCEPTOR, 2), "the node that owns the key");
  }

  @Test
  void aStrongStoreReadsAgainWhenTheAnswerBroughtAnotherTopology() throws Exception {
    bringingTopology = 1;

    assertThat(version(reading(StoreKind.ACCEPTOR, 0))).isEqualTo(2);
  }

  @Test
  void aStrongStoreStopsRetryingWhenTheTopologyKeepsChanging() throws Exception {
    bringingTopology = 2;

    assertUnreachable(reading(StoreKind.ACCEPTOR, 0), "the site's topology changed");
  }

  @Test
  void aClientThatKnewNoTopologyLearnsItAndReadsAtTheOwner() throws Exception {
    bringingTopology = 1;

    assertThat(version(reading(StoreKind.ACCEPTOR, 1))).isEqualTo(2);
  }

  @Test
  void aTopologyThatWasKnownBeforeTheReadIsNoReasonToReadAgain() throws Exception {
    watch.setServers(List.of(B, A));

    assertThat(version(reading(StoreKind.ACCEPTOR, 0))).isEqualTo(1);
  }

  @Test
  void aPlainStoreTakesAnyNodesAnswer() throws Exception {
    bringingTopology = 1;

    assertThat(version(reading(StoreKind.PLAIN, 1))).isEqualTo(1);
  }

  @Test
  void nodesAreAskedInTurnAndFailedOnesAvoidedWhileThereAreOthers() {
    watch.setServers(List.of(A, B));
    List<SocketAddress> turns = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      turns.add(watch.nextServer(Set.of()));
    }

    assertThat(turns).containsExactly(A, B, A, B);
    for (int i = 0; i < 4; i++) {
      assertThat(watch.nextServer(Set.of(A))).isEqualTo(B);
    }
    assertThat(watch.nextServer(Set.of(A, B))).isIn(A, B);
    watch.setServers(List.of(A));
    assertThat(watch.nextServer(Set.of(A))).isEqualTo(A);
  }

  /** A request for a key might hang a server that is just starting. */
  @Test
  void afterTwoRequestsThatFoundNobodyTheNextOneWaitsForAHail() throws Exception {
    HotRodSiteStore store = store(StoreKind.ACCEPTOR, 0);
    failures.add(new TransportException(new ConnectException("refused"), A));
    failures.add(
        new HotRodClientException("CacheNotFoundException: Cache with name 's' not found"));
    assertThat(store.read(KEY, deadline())).isCompletedExceptionally();
    assertThat(store.read(KEY, deadline())).isCompletedExceptionally();
    CompletableFuture<Boolean> hail = new CompletableFuture<>();
    hails.add(hail);

    CompletableFuture<?> first = store.read(KEY, deadline()).toCompletableFuture();
    CompletableFuture<?> second = store.read(KEY, deadline()).toCompletableFuture();
    assertThat(reads).as("requests for a key").isEqualTo(2);
    assertThat(hailed).as("one for all that wait").isEqualTo(1);
    hail.complete(true);
    first.get(20, TimeUnit.SECONDS);
    second.get(20, TimeUnit.SECONDS);
    store.read(KEY, deadline()).toCompletableFuture().get(20, TimeUnit.SECONDS);

    assertThat(hailed).isEqualTo(1);
    assertThat(reads).isEqualTo(5);
  }

  /** A write that is sent so late might replace a later one, with no client left to repair that. */
  @Test
  void aRequestWhoseCallerHasGoneWhileAHailWasUnderWayIsNotSent() throws Exception {
    HotRodSiteStore store = store(StoreKind.ACCEPTOR, 0);
    failures.add(new TransportException(new ConnectException("refused"), A));
    failures.add(new TransportException(new ConnectException("refused"), A));
    store.read(KEY, deadline());
    store.read(KEY, deadline());
    CompletableFuture<Boolean> hail = new CompletableFuture<>();
    hails.add(hail);
    Deadline soon = Deadline.after(Duration.ofMillis(1), scheduler);

    CompletableFuture<?> late = store.read(KEY, soon).toCompletableFuture();
    CompletableFuture<?> inTime = store.read(KEY, deadline()).toCompletableFuture();
    CompletableFuture<Void> passed = new CompletableFuture<>();
    scheduler.after(5_000_000, () -> passed.complete(null));
    passed.get(20, TimeUnit.SECONDS);
    hail.complete(true);

    inTime.get(20, TimeUnit.SECONDS);
    assertThat(reads).isEqualTo(3);
    assertThat(late)
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .withCauseInstanceOf(SiteException.class)
        .withMessageContaining("not sent, the deadline has passed");
    assertThat(hailed).as("nobody was silent").isEqualTo(1);
  }
}
