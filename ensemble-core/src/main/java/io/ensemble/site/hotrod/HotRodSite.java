package io.ensemble.site.hotrod;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStatistics;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreNames;
import io.ensemble.site.StoreStatistics;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.configuration.SiteCertificates;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.site.hotrod.configuration.Tls;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.jspecify.annotations.Nullable;

/**
 * A site over Hot Rod, unbounded: {@link HotRod#connect} bounds it. The client's commands block, so
 * they run on two threads of their own, and the site connects on the first of them. Requests to
 * stores do not block.
 */
final class HotRodSite implements Site {

  private static final int COMMANDS_AT_ONCE = 2;
  private static final Duration LONGEST_CREATION = Duration.ofSeconds(30);

  private final String name;
  private final Supplier<SiteConfiguration> where;
  private final Scheduler scheduler;
  private final HotRodResponses hotRodResponses;
  private final BlockingCallExecutor blockingCallExecutor;

  private final AtomicBoolean renewing = new AtomicBoolean();
  private final HotRodClient client;
  private final NodeStores nodes;
  private final IdleClients idleClients;
  private final SiteTaskRunner siteTaskRunner;
  private final StoreCreator storeCreator = new StoreCreator();

  HotRodSite(Supplier<SiteConfiguration> where, Scheduler scheduler) {
    this.where = where;
    this.name = where.get().name();
    this.scheduler = scheduler;
    this.hotRodResponses = new HotRodResponses(name);
    this.client = new HotRodClient(where, scheduler, hotRodResponses);
    this.nodes = new NodeStores(where, scheduler, hotRodResponses);
    this.blockingCallExecutor =
        new BlockingCallExecutor(
            "ensemble-site-" + name, COMMANDS_AT_ONCE, hotRodResponses, scheduler);
    this.idleClients = new IdleClients(scheduler, blockingCallExecutor::begin);
    this.siteTaskRunner = new SiteTaskRunner(client, idleClients);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String nodeOf(String store) {
    return NodeKey.in(store).orElse("");
  }

  @Override
  public boolean isSilent(String node) {
    return nodes.isSilent(node);
  }

  @Override
  public boolean isOnDisk() {
    return where.get().storage() == SiteStorage.DISK;
  }

  @Override
  public void renew(String node) {
    nodes.renew(node);
  }

  @Override
  public String incarnation(String token, StoreKind kind, Set<String> taken) {
    return kind == StoreKind.REPLICA ? nodes.incarnation(token, taken) : token;
  }

  /**
   * How many nodes the site has. A site with several endpoints has a node at each. Behind a single
   * endpoint there may be several nodes: a cache that is on all of them shows how many.
   */
  @Override
  public CompletionStage<Integer> countNodes(String probe, Deadline deadline) {
    int endpoints = where.get().endpoints().size();
    if (endpoints > 1) {
      return CompletableFuture.completedStage(endpoints);
    }
    String what = "store=" + probe + " request=countNodes";
    return created(probe, StoreKind.PLAIN, deadline)
        .thenCompose(done -> blockingCallExecutor.run(what, () -> existing(probe)))
        .thenCompose(
            cache ->
                hotRodResponses.to(
                    what, () -> TopologyCheck.settledNodes(cache, scheduler), Function.identity()))
        .handle(
            (nodes, failure) ->
                removeCache(probe, Deadline.after(LONGEST_CREATION, scheduler))
                    .exceptionally(left -> null)
                    .thenApply(removed -> onlyNode(nodes, failure)))
        .thenCompose(Function.identity());
  }

  private int onlyNode(@Nullable Integer nodes, @Nullable Throwable failure) {
    if (failure != null) {
      throw HotRodExceptionMapper.toSiteException(name(), "request=countNodes", failure);
    }
    if (Objects.requireNonNull(nodes) != 1) {
      throw new SiteException(
          name(),
          Reason.UNSUITABLE,
          "a strong cache at one or two sites requires the address of each node of a site; the "
              + "site has"
              + (nodes == TopologyCheck.UNKNOWN ? " an unknown number of" : " " + nodes)
              + " nodes and is registered with "
              + where.get().endpoints()
              + " alone: register it with the addresses of its nodes");
    }
    return nodes;
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    StoreNames.check(store);
    Optional<String> node = NodeKey.in(store);
    if (node.isPresent()) {
      return nodes.create(
          store, node.get(), deadline, () -> created(store, StoreKind.REPLICA, deadline));
    }
    StoreKind ofSite = kind == StoreKind.REPLICA ? StoreKind.ACCEPTOR : kind;
    return created(store, ofSite, deadline)
        .thenCompose(
            done ->
                blockingCallExecutor.run("store=" + store + " request=open", () -> existing(store)))
        .thenCompose(cache -> checked(store, ofSite, cache));
  }

  private CompletionStage<Boolean> created(String store, StoreKind kind, Deadline deadline) {
    return blockingCallExecutor.run(
        "store=" + store + " request=create", () -> createCache(store, kind, deadline));
  }

  /**
   * The creation has a time limit of its own, because it may take longer than any request should.
   */
  private boolean createCache(String store, StoreKind kind, Deadline deadline) {
    if (deadline.hasPassed(scheduler)) {
      throw new SiteException(
          name(), Reason.TIMED_OUT, "not sent, the request waited in the queue until its deadline");
    }
    try {
      siteTaskRunner.run(longest(deadline), one -> storeCreator.run(store, kind, where.get(), one));
    } catch (HotRodClientException failure) {
      if (String.valueOf(failure.getMessage()).contains("ISPN000507")) {
        String detail = "a new store must have a new name; taken: '" + store + "'";
        throw new SiteException(name(), Reason.FAILED, detail, failure);
      }
      throw failure;
    }
    return true;
  }

  private Duration longest(Deadline deadline) {
    Duration longest = Duration.ofNanos(deadline.remainingNanos(scheduler)).plusMillis(1);
    return longest.compareTo(LONGEST_CREATION) < 0 ? longest : LONGEST_CREATION;
  }

  /** Runs {@code command} at one node of the site. */
  private <T> CompletionStage<T> task(
      String what, Deadline deadline, Function<RemoteCacheManager, T> command) {
    return blockingCallExecutor.run(
        what, deadline, () -> siteTaskRunner.run(longest(deadline), command));
  }

  /**
   * The cache, from the first node that has it. A node that has just joined its peers does not have
   * all caches yet, so another one is asked.
   */
  private RemoteCache<byte[], byte[]> existing(String store) {
    RemoteCacheManager manager = client.manager();
    for (int i = 0; i < where.get().endpoints().size(); i++) {
      RemoteCache<byte[], byte[]> cache = manager.getCache(store);
      if (cache != null) {
        return cache;
      }
    }
    String detail = "the site does not have the store; store=" + store;
    throw new SiteException(name(), Reason.STORE_LOST, detail);
  }

  private CompletionStage<SiteStore> checked(
      String store, StoreKind kind, RemoteCache<byte[], byte[]> cache) {
    if (kind == StoreKind.PLAIN) {
      return CompletableFuture.completedStage(client.store(kind, cache));
    }
    return hotRodResponses
        .to(
            "store=" + store + " request=topology",
            () -> TopologyCheck.settledNodes(cache, scheduler),
            Function.identity())
        .thenCompose(
            nodes ->
                nodes == 1 || nodes >= 3
                    ? CompletableFuture.completedStage(client.store(kind, cache))
                    : removed(store, unsuitable(store, nodes)));
  }

  private SiteException unsuitable(String store, int nodes) {
    String came =
        nodes == TopologyCheck.UNKNOWN
            ? "the site reports no topology of the store (is the backing cache local, or do the "
                + "servers of the site have different names?)"
            : "the store has "
                + nodes
                + " nodes (after the loss of one node, the other would reject requests "
                + "permanently)";
    return new SiteException(
        name(),
        Reason.UNSUITABLE,
        "a strong store requires a site of 3 nodes or more, or exactly 1, that reports its "
            + "topology; "
            + came
            + "; store="
            + store);
  }

  /**
   * Removes the store that was just created and fails with {@code reason}, whatever the outcome of
   * the removal.
   */
  private CompletionStage<SiteStore> removed(String store, SiteException reason) {
    return removeCache(store, Deadline.after(LONGEST_CREATION, scheduler))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                reason.addSuppressed(failure);
              }
              throw reason;
            });
  }

  /**
   * Opens the store without a check of the number of nodes. The number was checked when the store
   * was created, and a site of three nodes that lacks one looks like one of two.
   */
  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    StoreNames.check(store);
    Optional<String> node = NodeKey.in(store);
    if (node.isPresent()) {
      return nodes.open(store, node.get(), deadline);
    }
    String what = "store=" + store + " request=open";
    return blockingCallExecutor
        .run(what, deadline, () -> existing(store))
        .thenCompose(cache -> StorePing.of(cache).heard(name(), store).thenApply(here -> cache))
        .thenCompose(
            cache ->
                // The client caches names of stores that the site has lost, so only a read is
                // reliable.
                kind == StoreKind.PLAIN
                    ? hotRodResponses.to(
                        what,
                        () -> TopologyCheck.answer(cache),
                        answer -> client.store(kind, cache))
                    : hotRodResponses.to(
                        what,
                        () -> TopologyCheck.nodes(cache, scheduler),
                        nodes -> openedStrong(store, cache, nodes)));
  }

  private SiteStore openedStrong(String store, RemoteCache<byte[], byte[]> cache, int nodes) {
    if (nodes == TopologyCheck.UNKNOWN) {
      throw unsuitable(store, nodes);
    }
    return client.store(StoreKind.ACCEPTOR, cache);
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    StoreNames.check(store);
    return removeCache(store, deadline);
  }

  private CompletionStage<Void> removeCache(String store, Deadline deadline) {
    return task(
            "store=" + store + " request=removeStore",
            deadline,
            one -> {
              one.administration().removeCache(store);
              return true;
            })
        .thenAccept(done -> {});
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return task("request=stores", deadline, RemoteCacheManager::getCacheNames);
  }

  @Override
  public CompletionStage<SiteStatistics> figures(Deadline deadline) {
    return task("request=figures", deadline, one -> figuresOfAll(one, deadline));
  }

  private SiteStatistics figuresOfAll(RemoteCacheManager one, Deadline deadline) {
    HotRodStatistics statistics = new HotRodStatistics();
    for (String store : new TreeSet<>(one.getCacheNames())) {
      if (deadline.hasPassed(scheduler)) {
        throw new SiteException(
            name(), Reason.TIMED_OUT, "the site has too many stores to check all of them");
      }
      Optional<String> node = NodeKey.in(store);
      if (node.isPresent()) {
        nodes
            .statistics(store, node.get())
            .ifPresentOrElse(statistics::addOfOneNode, statistics::silent);
        continue;
      }
      RemoteCache<byte[], byte[]> cache =
          HotRodStatistics.isOwn(store) ? null : one.getCache(store);
      if (cache != null) {
        statistics.add(cache.serverStatistics().getStatsMap());
        one.stopCache(store); // The client may be kept, and the store removed meanwhile.
      }
    }
    return statistics.sums();
  }

  @Override
  public CompletionStage<StoreStatistics> figures(String store, Deadline deadline) {
    String what = "store=" + store + " request=figures";
    Optional<String> node = NodeKey.in(store);
    return node.isPresent()
        ? nodes.figures(store, node.get(), what, deadline)
        : blockingCallExecutor.run(
            what,
            deadline,
            () -> HotRodStatistics.ofSite(existing(store).serverStatistics().getStatsMap()));
  }

  @Override
  public CompletionStage<List<CertificateExpiry>> certificates(Deadline deadline) {
    SiteConfiguration now = where.get();
    Tls tls = now.tls();
    return tls == null
        ? CompletableFuture.completedStage(List.of())
        : blockingCallExecutor.run(
            "request=certificates",
            deadline,
            () -> SiteCertificates.read(now, tls, scheduler, deadline));
  }

  @Override
  public void moved() {
    if (client.isElsewhere()) {
      renew();
    }
  }

  @Override
  public Set<InetSocketAddress> nodes() {
    AddressPolicy policy = where.get().addresses();
    return policy == null
        ? client.nodes()
        : client.nodes().stream()
            .filter(node -> policy.allows(node.getHostString(), node.getPort()))
            .collect(Collectors.toSet());
  }

  @Override
  public void renew() {
    if (renewing.compareAndSet(false, true) && !blockingCallExecutor.begin(this::renewClient)) {
      renewing.set(false);
    }
  }

  /** Returns when another client has replaced this one, or none could be created. */
  void renewClient() {
    try {
      client.renewOrStay();
    } finally {
      renewing.set(false);
    }
  }

  /** Returns immediately; connections end when the present command does, if there is one. */
  @Override
  public void close() {
    nodes.close();
    blockingCallExecutor.close(
        () -> {
          try {
            idleClients.close();
          } finally {
            client.close();
          }
        });
  }
}
