package io.ensemble.site.hotrod;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.ReplicaState;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stores on one node each, at a real site of three nodes. */
@Timeout(180)
class ReplicaStoresIT {

  private static final String CACHE = "replica.1.0123456789ab0123456789ab.";
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static EmbeddedFederation federation;
  private static EmbeddedSite lyon;

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<AutoCloseable> open = new ArrayList<>(List.of(scheduler));

  @BeforeAll
  static void start() {
    federation =
        EmbeddedFederation.start(EmbeddedFederation.Options.defaults().withSiteNames("lyon"));
    lyon = federation.site("lyon");
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private static List<Endpoint> nodes() {
    return lyon.endpoints().stream()
        .map(node -> new Endpoint(node.getHostString(), node.getPort()))
        .toList();
  }

  private static SiteConfiguration configuration(List<Endpoint> nodes) {
    SiteConfiguration.Builder builder = SiteConfiguration.builder("lyon");
    nodes.forEach(builder::endpoint);
    return builder.build();
  }

  private Site connect(List<Endpoint> nodes) {
    Site site = HotRod.connect(configuration(nodes), scheduler);
    open.add(site);
    return site;
  }

  private static String newName(Site site) {
    return CACHE
        + site.incarnation("%08x".formatted(NUMBER.incrementAndGet()), StoreKind.REPLICA, Set.of());
  }

  /** A name of a store on the node with that index. */
  private static String nameAt(int node) {
    return CACHE + "%08x".formatted(NUMBER.incrementAndGet()) + NodeKey.of(nodes().get(node));
  }

  private Deadline in(long millis) {
    return Deadline.after(Duration.ofMillis(millis), scheduler);
  }

  private <T> T got(Function<Deadline, CompletionStage<T>> call) {
    return got(call.apply(in(20_000)));
  }

  private static <T> T got(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new AssertionError(failed);
    } catch (InterruptedException | TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private SiteStore created(Site site, String name) {
    return got(soon -> site.create(name, StoreKind.REPLICA, soon));
  }

  private boolean isFirst(SiteStore store) {
    return got(soon -> store.putIfAbsent(bytes("k"), bytes("v"), soon));
  }

  private String value(SiteStore store) {
    Optional<Bytes> found = got(soon -> store.get(bytes("k"), soon));
    return text(found.orElseThrow());
  }

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(UTF_8));
  }

  @Test
  void storesAreSpreadOverNodesAndEachIsAtTheOneThatItsNameSays() throws Exception {
    Site site = connect(nodes());
    Map<String, Integer> used = new TreeMap<>();
    for (int i = 0; i < 3_000; i++) {
      used.merge(NodeKey.in(newName(site)).orElseThrow(), 1, Integer::sum);
    }
    assertThat(used).hasSize(3);
    assertThat(used.values()).allSatisfy(stores -> assertThat(stores).isBetween(850, 1_150));

    String name = nameAt(1);
    SiteStore store = created(site, name);
    assertThat(isFirst(store)).isTrue();

    for (int node = 0; node < 3; node++) {
      try (RemoteCacheManager one = clientOf(nodes().get(node))) {
        RemoteCache<byte[], byte[]> cache = one.getCache(name);
        assertThat(cache.get("k".getBytes(UTF_8)) != null).as("node %d", node).isEqualTo(node == 1);
      }
    }
    SiteStore another = got(soon -> connect(nodes()).open(name, StoreKind.REPLICA, soon));
    assertThat(value(another)).isEqualTo("v");
    assertThat(walked(another)).as("without the marker").containsOnlyKeys("k");
  }

  private RemoteCacheManager clientOf(Endpoint node) {
    return new RemoteCacheManager(
        ClientConfiguration.ofOne(
            configuration(nodes()), node, Duration.ofSeconds(60), new AtomicLong()));
  }

  private Map<String, String> walked(SiteStore store) {
    Map<String, String> all = new ConcurrentHashMap<>();
    try (Scan scan = store.scan(1)) {
      for (List<Item> batch = got(scan::next); !batch.isEmpty(); batch = got(scan::next)) {
        batch.forEach(
            item ->
                all.put(
                    new String(item.key().array(), UTF_8),
                    new String(item.value().array(), UTF_8)));
      }
    }
    return all;
  }

  /**
   * A node whose store is not empty is killed under load and restarted with an empty store of that
   * name.
   *
   * <p>With the fence, no read may report a key as absent, no walk may miss it, and no
   * put-if-absent of it may succeed. Without the fence all this happens.
   */
  @Test
  void aNodeThatForgotSaysNothing() throws Exception {
    AtomicInteger fenced = new AtomicInteger();
    AtomicInteger unfenced = new AtomicInteger();
    AtomicInteger walkedFenced = new AtomicInteger();
    AtomicInteger walkedUnfenced = new AtomicInteger();
    for (int round = 0; round < 3; round++) {
      Site site = connect(nodes());
      String name = nameAt(round);
      SiteStore store = created(site, name);
      SiteStore open = unfenced(nodes().get(round), name);
      got(soon -> store.putIfAbsent(bytes("k"), bytes("v"), soon));
      got(soon -> store.putIfAbsent(bytes("l"), bytes("v"), soon));
      Scan halfway = store.scan(1);
      this.open.add(halfway);
      assertThat(got(halfway::next)).hasSize(1);
      AtomicBoolean stopping = new AtomicBoolean();
      AtomicInteger tried = new AtomicInteger();
      ExecutorService users = Executors.newFixedThreadPool(6);
      List<Future<?>> running = new ArrayList<>();
      running.add(users.submit(() -> walk(store, walkedFenced, tried, stopping)));
      running.add(users.submit(() -> walk(open, walkedUnfenced, tried, stopping)));
      for (int user = 0; user < 2; user++) {
        running.add(users.submit(() -> use(store, fenced, tried, stopping)));
        running.add(users.submit(() -> use(open, unfenced, tried, stopping)));
      }
      awaitMore(tried, 100);
      lyon.killNode(round);
      lyon.restartNode(round);
      await("the client has met the empty node")
          .atMost(Duration.ofSeconds(60))
          .until(() -> isLost(store));
      assertThatExceptionOfType(SiteException.class)
          .as("a walk that began before")
          .isThrownBy(() -> got(halfway::next));
      awaitMore(tried, 100);
      stopping.set(true);
      for (Future<?> user : running) {
        user.get(30, TimeUnit.SECONDS);
      }
      users.shutdown();
      assertThatExceptionOfType(SiteException.class)
          .isThrownBy(() -> got(soon -> connect(nodes()).open(name, StoreKind.REPLICA, soon)))
          .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.STORE_LOST));
    }
    assertThat(fenced).as("false answers with the fence").hasValue(0);
    assertThat(unfenced.get()).as("false answers without it").isPositive();
    assertThat(walkedFenced).as("walks with the fence that passed over a key").hasValue(0);
    assertThat(walkedUnfenced.get()).as("such walks without it").isPositive();
  }

  private SiteStore unfenced(Endpoint node, String name) {
    RemoteCacheManager one = clientOf(node);
    open.add(one);
    HotRodResponses responses = new HotRodResponses("lyon");
    return HotRodSiteStore.of(
        StoreKind.PLAIN,
        one.getCache(name),
        responses,
        scheduler,
        new BlockingCallExecutor("observe", 1, responses, scheduler));
  }

  private static void awaitMore(AtomicInteger count, int more) {
    int before = count.get();
    await("more is done").atMost(Duration.ofSeconds(60)).until(() -> count.get() >= before + more);
  }

  private void use(
      SiteStore store, AtomicInteger wrong, AtomicInteger tried, AtomicBoolean stopping) {
    while (!stopping.get()) {
      tried.incrementAndGet();
      try {
        Optional<StoredEntry> found = got(store.read(bytes("k"), in(2_000)));
        if (found.isEmpty() || got(store.putIfAbsent(bytes("k"), bytes("w"), in(2_000)))) {
          wrong.incrementAndGet();
        }
      } catch (SiteException silent) {
        Thread.onSpinWait();
      }
    }
  }

  private void walk(
      SiteStore store, AtomicInteger wrong, AtomicInteger tried, AtomicBoolean stopping) {
    while (!stopping.get()) {
      tried.incrementAndGet();
      try {
        if (!walked(store).containsKey("k")) {
          wrong.incrementAndGet();
        }
      } catch (SiteException silent) {
        Thread.onSpinWait();
      }
    }
  }

  private boolean isLost(SiteStore store) {
    try {
      got(store.read(bytes("k"), in(2_000)));
      return false;
    } catch (SiteException why) {
      return why.reason() == Reason.STORE_LOST;
    }
  }

  /** No compare-and-set that succeeded is lost while the peers of the node restart. */
  @Test
  void everySwapIsOneStepWhilePeersRestart() throws Exception {
    Site site = connect(nodes());
    String name = nameAt(2);
    SiteStore first = created(site, name);
    SiteStore second = got(soon -> connect(nodes()).open(name, StoreKind.REPLICA, soon));
    got(soon -> first.putIfAbsent(bytes("k"), bytes("0"), soon));
    AtomicBoolean stopping = new AtomicBoolean();
    AtomicInteger swaps = new AtomicInteger();
    ExecutorService users = Executors.newFixedThreadPool(4);
    List<Future<?>> running = new ArrayList<>();
    for (SiteStore store : List.of(first, second, first, second)) {
      running.add(users.submit(() -> count(store, swaps, stopping)));
    }
    for (int node = 0; node < 2; node++) {
      lyon.killNode(node);
      awaitMore(swaps, 50);
      lyon.restartNode(node);
      awaitMore(swaps, 50);
    }
    stopping.set(true);
    for (Future<?> user : running) {
      user.get(30, TimeUnit.SECONDS);
    }
    users.shutdown();

    int last = Integer.parseInt(value(first));
    assertThat(last).isEqualTo(swaps.get());
    assertThat(last).isGreaterThan(100);
  }

  /** Increments the value. The node of the store stays up, so each request gets an answer. */
  private void count(SiteStore store, AtomicInteger swaps, AtomicBoolean stopping) {
    while (!stopping.get()) {
      StoredEntry entry = got(soon -> store.read(bytes("k"), soon)).orElseThrow();
      Bytes next = bytes(String.valueOf(Integer.parseInt(text(entry.value())) + 1));
      if (got(soon -> store.replace(bytes("k"), entry.version(), next, soon))) {
        swaps.incrementAndGet();
      }
    }
  }

  private static String text(Bytes value) {
    return new String(value.array(), UTF_8);
  }

  /** A cache at one site has a replica on each of three nodes, which are restarted in turn. */
  @Test
  @Tag("nightly")
  void aCacheAtOneSiteKeepsAllEntriesWhileItsNodesRestartInTurn() {
    restartNodesInTurn(Mode.SWMR);
  }

  /** In the gate, {@code MwmrRebalanceIT} judges histories of such a cache. */
  @Tag("nightly")
  @Test
  void anMwmrCacheAtOneSiteKeepsAllEntriesWhileItsNodesRestartInTurn() {
    restartNodesInTurn(Mode.MWMR);
  }

  private void restartNodesInTurn(Mode mode) {
    EnsembleCacheManager manager = manager(nodes());
    String name = "stock-" + mode;
    EnsembleCache<String, Integer> cache =
        manager.createCache(
            CacheDefinition.of(name, mode).sites("lyon").deadline(Duration.ofSeconds(20)).build());
    assertThat(manager.stored(name).orElseThrow().definition().sites())
        .containsExactly("lyon/1", "lyon/2", "lyon/3");
    Map<String, Integer> written = new TreeMap<>();
    for (int node = 0; node < 3; node++) {
      Map<String, String> before = manager.stored(name).orElseThrow().incarnations();
      lyon.killNode(node);
      for (int i = 0; i < 50; i++) {
        cache.put(node + "-" + i, i);
        written.put(node + "-" + i, i);
      }
      assertThat(cache.getAll(written.keySet())).isEqualTo(written);
      if (mode == Mode.MWMR && node == 0) {
        awaitMissing(manager, name, List.of(ReplicaState.NODE_UNREACHABLE));
        assertThat(manager.membership().health())
            .as("the site is healthy")
            .allMatch(site -> site.state() == SuspicionLevel.State.REACHABLE);
      }
      lyon.restartNode(node);
      assertThat(manager.recoverSite(name, "lyon")).isGreaterThanOrEqualTo(written.size());
      Map<String, String> after = manager.stored(name).orElseThrow().incarnations();
      assertThat(after.values()).as("one replica has another store").hasSize(3);
      assertThat(before.values().stream().filter(life -> !after.containsValue(life))).hasSize(1);
    }
    assertThat(cache.getAll(written.keySet())).isEqualTo(written);
    if (mode == Mode.MWMR) {
      awaitMissing(manager, name, List.of());
    }
    manager.deleteCache(name);
  }

  private static void awaitMissing(
      EnsembleCacheManager manager, String cache, List<ReplicaState> states) {
    await("missing replicas")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                manager
                    .redundancy(cache)
                    .map(CacheRedundancy::missing)
                    .filter(
                        missing ->
                            missing.stream()
                                .map(CacheRedundancy.Replica::state)
                                .toList()
                                .equals(states))
                    .isPresent());
  }

  private EnsembleCacheManager manager(List<Endpoint> nodes) {
    EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .site(configuration(nodes))
            .definitions(new InMemoryDefinitions())
            .refilling(false) // The test refills explicitly.
            .build();
    open.add(manager::stop);
    return manager;
  }

  @Test
  void aSiteThatIsRegisteredWithOneOfItsNodesIsRefusedForACacheThatHasNoOtherSite() {
    EnsembleCacheManager manager = manager(nodes().subList(0, 1));

    assertThatExceptionOfType(SiteException.class)
        .isThrownBy(
            () -> manager.createCache(CacheDefinition.of("alone", Mode.MWMR).sites("lyon").build()))
        .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.UNSUITABLE))
        .withMessageContaining("3 nodes")
        .withMessageContaining("register it with the addresses of its nodes");
    Set<String> left = got(soon -> connect(nodes()).stores(soon));
    assertThat(left).noneMatch(store -> store.startsWith("alone."));
  }

  @Test
  void aNodeThatIsAwayIsUnreachableAndNoPlaceForANewStore() {
    Site site = connect(nodes());
    String there = nameAt(0);
    created(site, there);
    lyon.killNode(0);
    try {
      assertThatExceptionOfType(SiteException.class)
          .isThrownBy(() -> got(soon -> connect(nodes()).open(there, StoreKind.REPLICA, soon)))
          .satisfies(why -> assertThat(why.reason()).as("%s", why).isNotEqualTo(Reason.STORE_LOST));
      assertThatExceptionOfType(SiteException.class)
          .isThrownBy(() -> created(site, nameAt(0)))
          .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE));
      String away = NodeKey.of(nodes().get(0));
      for (int i = 0; i < 12; i++) {
        assertThat(NodeKey.in(newName(site))).isNotEqualTo(Optional.of(away));
      }
      SiteStore store = created(site, newName(site));
      assertThat(isFirst(store)).isTrue();
    } finally {
      lyon.restartNode(0);
    }
  }

  @Test
  void aClosedSiteLeavesNoThread() {
    SiteConfiguration.Builder builder = SiteConfiguration.builder("closed");
    nodes().forEach(builder::endpoint);
    Site site = HotRod.connect(builder.build(), scheduler);
    created(site, newName(site));
    assertThat(threadsOf("closed")).isPositive();

    site.close();

    await("its threads end")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(threadsOf("closed")).isZero());
  }

  private static long threadsOf(String site) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("ensemble-site-" + site))
        .count();
  }

  /** A store is found when its node is reached at another address. */
  @Test
  void aStoreIsFoundAtAnotherAddress() throws Exception {
    String name = nameAt(1);
    SiteStore store = created(connect(nodes()), name);
    got(soon -> store.putIfAbsent(bytes("k"), bytes("v"), soon));
    try (Balancer moved = new Balancer(List.of(lyon.endpoints().get(1)))) {
      Site site = connect(List.of(nodes().get(0), moved.endpoint()));

      SiteStore found = got(soon -> site.open(name, StoreKind.REPLICA, soon));

      assertThat(value(found)).isEqualTo("v");
    }
  }

  @Test
  void anAddressThatReachesSeveralNodesIsRefused() throws Exception {
    try (Balancer balancer = new Balancer(lyon.endpoints())) {
      Site site = connect(List.of(balancer.endpoint()));
      String name = newName(site);

      assertThatExceptionOfType(SiteException.class)
          .isThrownBy(() -> created(site, name))
          .withMessageContaining("with separate addresses")
          .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.UNSUITABLE));
    }
  }

  /** A load balancer: one address, which forwards connections to the nodes in turn. */
  private static final class Balancer implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<InetSocketAddress> targets;
    private final List<Socket> sockets = new ArrayList<>();

    Balancer(List<InetSocketAddress> targets) throws IOException {
      this.targets = targets;
      daemon(this::accept);
    }

    Endpoint endpoint() {
      return new Endpoint("127.0.0.1", server.getLocalPort());
    }

    private static void daemon(Runnable task) {
      Thread thread = new Thread(task, "balancer");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        for (int turn = 0; true; turn++) {
          Socket client = server.accept();
          InetSocketAddress target = targets.get(turn % targets.size());
          Socket node = new Socket(target.getHostString(), target.getPort());
          synchronized (sockets) {
            sockets.add(client);
            sockets.add(node);
          }
          daemon(() -> pump(client, node));
          daemon(() -> pump(node, client));
        }
      } catch (IOException closed) {
        // The test has ended.
      }
    }

    private static void pump(Socket from, Socket to) {
      try (from;
          to;
          InputStream in = from.getInputStream();
          OutputStream out = to.getOutputStream()) {
        in.transferTo(out);
      } catch (IOException closed) {
        // The other side is closed, too.
      }
    }

    @Override
    public void close() throws IOException {
      server.close();
      synchronized (sockets) {
        for (Socket socket : sockets) {
          socket.close();
        }
      }
    }
  }
}
