package io.ensemble.site.hotrod;

import io.ensemble.partition.StableHash;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreStatistics;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;

/**
 * The stores of a site that one node each holds ({@link StoreKind#REPLICA}). Every node has a cache
 * of the store's name, because a site creates caches on all its nodes. Only the cache on the node
 * in the name is used, by a client that uses that node alone. Each node has a thread of its own for
 * blocking calls, so that a silent node delays no other. Thread-safe.
 */
final class NodeStores {

  /** For how long a silent node is not chosen for a new store, if there are others. */
  private static final long AVOIDED_NANOS = Duration.ofSeconds(10).toNanos();

  /** How long the other nodes are asked whether they have a store that belongs to another node. */
  private static final Duration LONGEST_ELSEWHERE = Duration.ofSeconds(1);

  private static final long PAUSE_NANOS = 20_000_000;
  private static final int CONNECTIONS_TRIED = 4;

  /**
   * How long one command may take. A caller that creates a store has more time, but a client that
   * lost its connection during connection set-up never answers.
   */
  private static final Duration LONGEST_COMMAND = Duration.ofSeconds(10);

  /** A client with a command that fails after that time has probably lost its connection. */
  private static final long LOST_CLIENT_NANOS = LONGEST_COMMAND.toNanos() / 2;

  /** How long a new cache may take from one node of a site to another. */
  private static final Duration LONGEST_ARRIVAL = Duration.ofSeconds(10);

  private final Supplier<SiteConfiguration> where;
  private final Scheduler scheduler;
  private final HotRodResponses hotRodResponses;
  private final Map<Endpoint, Node> nodes = new ConcurrentHashMap<>();
  private volatile boolean closed;

  NodeStores(
      Supplier<SiteConfiguration> where, Scheduler scheduler, HotRodResponses hotRodResponses) {
    this.where = where;
    this.scheduler = scheduler;
    this.hotRodResponses = hotRodResponses;
  }

  /** {@code token}, and the node that it selects among those that are free and not silent. */
  String incarnation(String token, Set<String> taken) {
    List<Endpoint> all =
        where.get().endpoints().stream()
            .filter(endpoint -> !taken.contains(NodeKey.of(endpoint)))
            .toList();
    if (all.isEmpty()) {
      throw SiteException.notSent(
          hotRodResponses.site(),
          Reason.UNSUITABLE,
          "each replica of a cache requires its own node; the site has %d nodes, and all hold other"
                  .formatted(where.get().endpoints().size())
              + " replicas of the cache: register more nodes, or wait for the node that does not "
              + "answer");
    }
    List<Endpoint> answering = all.stream().filter(node -> !isSilent(node)).toList();
    Endpoint node =
        (answering.isEmpty() ? all : answering)
            .stream()
                .max((one, other) -> Long.compareUnsigned(bid(token, one), bid(token, other)))
                .orElseThrow();
    return token + NodeKey.of(node);
  }

  private static long bid(String token, Endpoint node) {
    return StableHash.bid(StableHash.of(token), node.toString());
  }

  /** Whether the node of that key did not answer its last request, not long ago. */
  boolean isSilent(String key) {
    return NodeKey.find(key, where.get().endpoints()).filter(this::isSilent).isPresent();
  }

  private boolean isSilent(Endpoint endpoint) {
    Node node = nodes.get(endpoint);
    return node != null && node.isSilent();
  }

  private Node node(Endpoint endpoint) {
    Node node = nodes.computeIfAbsent(endpoint, Node::new);
    if (closed) {
      node.close();
    }
    return node;
  }

  /**
   * Creates a store.
   *
   * @param creation lets the site create the caches
   */
  CompletionStage<SiteStore> create(
      String store, String key, Deadline deadline, Supplier<CompletionStage<?>> creation) {
    Optional<Endpoint> named = NodeKey.find(key, where.get().endpoints());
    if (named.isEmpty()) {
      return CompletableFuture.failedStage(unknownNode(store));
    }
    Node node = node(named.get());
    return node.heard(deadline)
        .thenCompose(here -> creation.get())
        .thenCompose(created -> known(store, deadline))
        .thenCompose(known -> node.created(store, deadline))
        .thenApply(Function.identity());
  }

  /**
   * Waits until the nodes have started. A node that starts from its disk does not have its stores
   * yet, and reports that it has none. A node that has a store that was just created has started,
   * and has all its stores.
   */
  private CompletionStage<?> known(String store, Deadline deadline) {
    if (where.get().storage() == SiteStorage.MEMORY) {
      return CompletableFuture.completedStage(null);
    }
    CompletableFuture<?>[] all =
        where.get().endpoints().stream()
            .map(endpoint -> node(endpoint).knows(store, deadline).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(all);
  }

  /**
   * Opens a store at the node in its name, or at another node that has it. A node that keeps its
   * disk may have moved to another address. Fails as the node in its name does.
   */
  CompletionStage<SiteStore> open(String store, String key, Deadline deadline) {
    List<Endpoint> all = where.get().endpoints();
    Optional<Endpoint> named = NodeKey.find(key, all);
    CompletionStage<HotRodSiteStore> first =
        named.isPresent()
            ? node(named.get()).opened(store, deadline)
            : CompletableFuture.failedStage(unknownNode(store));
    List<Endpoint> others = new ArrayList<>(all);
    named.ifPresent(others::remove);
    return first
        .thenApply(Optional::of)
        .exceptionallyCompose(
            failure ->
                openedElsewhere(store, others)
                    .thenApply(
                        found -> {
                          if (found.isEmpty()) {
                            throw HotRodExceptionMapper.toSiteException(
                                hotRodResponses.site(),
                                "store=" + store + " request=open",
                                failure);
                          }
                          return found;
                        }))
        .thenApply(Optional::orElseThrow);
  }

  private CompletionStage<Optional<HotRodSiteStore>> openedElsewhere(
      String store, List<Endpoint> others) {
    Deadline soon = Deadline.after(LONGEST_ELSEWHERE, scheduler);
    CompletionStage<Optional<HotRodSiteStore>> found =
        CompletableFuture.completedStage(Optional.empty());
    for (Endpoint other : others) {
      CompletableFuture<Optional<HotRodSiteStore>> asked =
          node(other)
              .opened(store, soon)
              .thenApply(Optional::of)
              .exceptionally(failure -> Optional.empty())
              .toCompletableFuture()
              .completeOnTimeout(
                  Optional.empty(), LONGEST_ELSEWHERE.toMillis(), TimeUnit.MILLISECONDS);
      found = found.thenCombine(asked, (one, another) -> one.or(() -> another));
    }
    return found;
  }

  /** The counts that the node of a store reports for it; blocks. Empty if the node reports none. */
  Optional<Map<String, String>> statistics(String store, String key) {
    return NodeKey.find(key, where.get().endpoints())
        .filter(endpoint -> !isSilent(endpoint))
        .flatMap(endpoint -> node(endpoint).statistics(store));
  }

  /** The counts of a store at its node. Fails as a request to the store does. */
  CompletionStage<StoreStatistics> figures(
      String store, String key, String what, Deadline deadline) {
    return NodeKey.find(key, where.get().endpoints())
        .map(endpoint -> node(endpoint).figures(store, what, deadline))
        .orElseGet(() -> CompletableFuture.failedStage(unknownNode(store)));
  }

  private SiteException unknownNode(String store) {
    return SiteException.notSent(
        hotRodResponses.site(),
        Reason.UNREACHABLE,
        "the node of the store is not one of the nodes of the site; nodes="
            + where.get().endpoints()
            + " store="
            + store);
  }

  /** Renews the client of a node. */
  void renew(String key) {
    NodeKey.find(key, where.get().endpoints()).ifPresent(endpoint -> node(endpoint).renew());
  }

  void close() {
    closed = true;
    nodes.values().forEach(Node::close);
  }

  private final class Node {

    private final Endpoint endpoint;
    private final HotRodClient client;
    private final BlockingCallExecutor blockingCallExecutor;
    private volatile boolean isSilent;
    private volatile long silentAtNanos;
    private volatile boolean isOne;
    private final AtomicBoolean renewing = new AtomicBoolean();

    Node(Endpoint endpoint) {
      this.endpoint = endpoint;
      this.client = new HotRodClient(where, endpoint, scheduler, hotRodResponses);
      this.blockingCallExecutor =
          new BlockingCallExecutor("ensemble-node-" + endpoint, 1, hotRodResponses, scheduler);
    }

    boolean isSilent() {
      return isSilent && scheduler.nanos() - silentAtNanos < AVOIDED_NANOS;
    }

    private <T> CompletionStage<T> noted(CompletionStage<T> answer) {
      return answer.whenComplete(
          (done, failure) -> {
            isSilent =
                failure != null && HotRodExceptionMapper.isSilence(hotRodResponses.site(), failure);
            silentAtNanos = scheduler.nanos();
          });
    }

    /** Runs a command. A client with a command that fails after a long time is replaced. */
    private <T> CompletionStage<T> runCommand(
        String request, Deadline deadline, Supplier<T> command) {
      Deadline soon = within(LONGEST_COMMAND, deadline);
      long begun = scheduler.nanos();
      return blockingCallExecutor
          .run("node=" + endpoint + request, soon, command)
          .whenComplete(
              (done, failure) -> {
                if (failure != null && scheduler.nanos() - begun >= LOST_CLIENT_NANOS) {
                  renew();
                }
              });
    }

    CompletionStage<Boolean> heard(Deadline deadline) {
      return noted(
          runCommand(
              " request=hear",
              deadline,
              () -> {
                client.manager().getCache(HotRodClient.ANY_CACHE);
                return true;
              }));
    }

    /** Completes when the node has the store, or does not answer. */
    CompletionStage<Boolean> knows(String store, Deadline deadline) {
      return noted(cache(store, soon(deadline))).handle((cache, silent) -> silent == null);
    }

    CompletionStage<HotRodSiteStore> created(String store, Deadline deadline) {
      return noted(
          cache(store, soon(deadline))
              .thenApply(cache -> client.store(StoreKind.REPLICA, cache))
              .thenCompose(made -> made.mark(deadline).thenApply(marked -> made))
              .thenCompose(made -> made.verify().thenApply(number -> made))
              .thenCompose(made -> isOne(store, deadline).thenApply(one -> made)));
    }

    private Deadline soon(Deadline deadline) {
      return within(LONGEST_ARRIVAL, deadline);
    }

    private Deadline within(Duration longest, Deadline deadline) {
      Deadline soon = Deadline.after(longest, scheduler);
      return soon.atNanos() - deadline.atNanos() < 0 ? soon : deadline;
    }

    /** Finds a new cache, which arrives at one node after the other. */
    private CompletionStage<RemoteCache<byte[], byte[]>> cache(String store, Deadline deadline) {
      return found(store, deadline)
          .thenCompose(
              found -> {
                if (found.isPresent()) {
                  return CompletableFuture.completedStage(found.get());
                }
                if (deadline.hasPassed(scheduler)) {
                  String detail =
                      "the new store was not created at the node in time; store=" + store;
                  return CompletableFuture.<RemoteCache<byte[], byte[]>>failedStage(
                      new SiteException(hotRodResponses.site(), Reason.UNREACHABLE, detail));
                }
                CompletableFuture<Void> later = new CompletableFuture<>();
                scheduler.after(PAUSE_NANOS, () -> later.complete(null));
                return later.thenCompose(now -> cache(store, deadline));
              });
    }

    private CompletionStage<Optional<RemoteCache<byte[], byte[]>>> found(
        String store, Deadline deadline) {
      return runCommand(
          " store=" + store + " request=find",
          deadline,
          () -> Optional.ofNullable(client.manager().getCache(store)));
    }

    private SiteException lost(String store) {
      String detail = "the node does not have the store; node=" + endpoint + " store=" + store;
      return new SiteException(hotRodResponses.site(), Reason.STORE_LOST, detail);
    }

    /**
     * Whether one address leads to one node. Behind one address there may be several nodes, and a
     * client would reach any of them.
     */
    private CompletionStage<Boolean> isOne(String store, Deadline deadline) {
      return isOne
          ? CompletableFuture.completedStage(true)
          : runCommand(
              " store=" + store + " request=check",
              deadline,
              () -> {
                for (int i = 0; i < CONNECTIONS_TRIED; i++) {
                  checkByAnother(store);
                }
                isOne = true;
                return true;
              });
    }

    private void checkByAnother(String store) {
      Duration longest = where.get().limits().longestRequest();
      RemoteCacheManager another = client.startedAt(endpoint, longest);
      try {
        RemoteCache<byte[], byte[]> cache = another.getCache(store);
        if (cache == null || cache.get(StoreMarker.KEY.array()) == null) {
          throw new SiteException(
              hotRodResponses.site(),
              Reason.UNSUITABLE,
              "a cache of a strong mode requires nodes with separate addresses, but several nodes "
                  + "answer at "
                  + endpoint
                  + "; register the site with the addresses of its nodes");
        }
      } finally {
        GuardedTransport.stop(another);
      }
    }

    CompletionStage<HotRodSiteStore> opened(String store, Deadline deadline) {
      return noted(
          found(store, deadline)
              .thenApply(found -> found.orElseThrow(() -> lost(store)))
              .thenApply(cache -> client.store(StoreKind.REPLICA, cache))
              .thenCompose(found -> found.verify().thenApply(number -> found)));
    }

    Optional<Map<String, String>> statistics(String store) {
      try {
        RemoteCache<byte[], byte[]> cache = client.manager().getCache(store);
        return cache == null
            ? Optional.empty()
            : Optional.of(cache.serverStatistics().getStatsMap());
      } catch (RuntimeException silent) {
        return Optional.empty();
      }
    }

    CompletionStage<StoreStatistics> figures(String store, String what, Deadline deadline) {
      return blockingCallExecutor.run(
          what,
          deadline,
          () -> {
            RemoteCache<byte[], byte[]> cache = client.manager().getCache(store);
            if (cache == null) {
              throw lost(store);
            }
            return HotRodStatistics.ofOneNode(cache.serverStatistics().getStatsMap());
          });
    }

    void renew() {
      if (renewing.compareAndSet(false, true) && !blockingCallExecutor.begin(this::renewNow)) {
        renewing.set(false);
      }
    }

    private void renewNow() {
      try {
        client.renewOrStay();
      } finally {
        renewing.set(false);
      }
    }

    void close() {
      blockingCallExecutor.close(client::close);
    }
  }
}
