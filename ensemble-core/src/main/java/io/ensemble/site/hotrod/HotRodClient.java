package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.Configuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Hot Rod client of one site, or of one of its nodes, and the stores that use it. If a
 * connection is reset during its set-up, a client of 16.0.7 may never reach that node again,
 * although other clients do. {@link #renew()} replaces the client by a new one. Methods block;
 * thread-safe.
 */
final class HotRodClient {

  private static final Logger LOG = LoggerFactory.getLogger(HotRodClient.class);

  /**
   * Requested only to get a response from the site; that the cache does not exist is a response.
   */
  static final String ANY_CACHE = "ensemble.any";

  private static final Duration LONGEST_RENEWAL = Duration.ofSeconds(10);

  private final Supplier<SiteConfiguration> where;
  private final Scheduler scheduler;
  private final HotRodResponses hotRodResponses;
  private final @Nullable Endpoint only;
  private final BlockingCallExecutor registrations;

  // All are guarded by this object's lock; volatile ones may be read without.
  private final Set<HotRodSiteStore> stores =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private volatile @Nullable RemoteCacheManager manager;
  private volatile List<Endpoint> connectedTo = List.of();
  private AtomicLong connections = new AtomicLong();
  private boolean closed;

  HotRodClient(
      Supplier<SiteConfiguration> where, Scheduler scheduler, HotRodResponses hotRodResponses) {
    this(where, null, scheduler, hotRodResponses);
  }

  /**
   * @param only the one node that the client uses, with fenced stores; null for all nodes
   */
  HotRodClient(
      Supplier<SiteConfiguration> where,
      @Nullable Endpoint only,
      Scheduler scheduler,
      HotRodResponses hotRodResponses) {
    this.where = where;
    this.only = only;
    this.scheduler = scheduler;
    this.hotRodResponses = hotRodResponses;
    this.registrations =
        new BlockingCallExecutor(
            "ensemble-observe-" + hotRodResponses.site(), 1, hotRodResponses, scheduler);
  }

  /** The client, connected if necessary. */
  synchronized RemoteCacheManager manager() {
    RemoteCacheManager present = manager;
    if (closed) {
      throw SiteException.notSent(
          hotRodResponses.site(), Reason.UNREACHABLE, "the site was closed by this process");
    }
    if (present == null) {
      SiteConfiguration now = where.get();
      AtomicLong fresh = new AtomicLong();
      present = started(now, now.limits().longestRequest(), fresh);
      manager = present;
      connections = fresh;
      connectedTo = now.endpoints();
    }
    return present;
  }

  /** The endpoints of the site. */
  List<Endpoint> endpoints() {
    return where.get().endpoints();
  }

  /** A separate client that uses one node only; the caller stops it. */
  RemoteCacheManager startedAt(Endpoint node, Duration longestRequest) {
    SiteConfiguration now = where.get();
    Configuration one = ClientConfiguration.ofOne(now, node, longestRequest, null);
    return started(now, one, longestRequest);
  }

  private RemoteCacheManager started(
      SiteConfiguration site, Duration longestRequest, AtomicLong counted) {
    Configuration client =
        only == null
            ? ClientConfiguration.of(site, longestRequest)
            : ClientConfiguration.ofOne(site, only, longestRequest, counted);
    return started(site, client, longestRequest);
  }

  private RemoteCacheManager started(
      SiteConfiguration configuration, Configuration client, Duration longestRequest) {
    RemoteCacheManager fresh = new RemoteCacheManager(client, false);
    Duration longest = longestRequest.multipliedBy(2).plusSeconds(1);
    try {
      if (!InterruptTimer.strikes(fresh::start, longest, scheduler)) {
        return fresh;
      }
    } catch (RuntimeException failure) {
      GuardedTransport.stop(fresh);
      throw failure;
    }
    GuardedTransport.stop(fresh);
    String detail = "no connection was made within " + longest;
    throw SiteException.notSent(configuration.name(), Reason.UNREACHABLE, detail);
  }

  /**
   * The store of {@code cache}, whichever client it uses later. Fails if another client has
   * replaced that of {@code cache}: open the store again.
   */
  synchronized HotRodSiteStore store(StoreKind kind, RemoteCache<byte[], byte[]> cache) {
    if (cache.getRemoteCacheContainer() != manager) {
      String detail = "the client that opened the store was replaced; store=";
      throw new SiteException(hotRodResponses.site(), Reason.UNREACHABLE, detail + cache.getName());
    }
    HotRodSiteStore store =
        only == null
            ? HotRodSiteStore.of(kind, cache, hotRodResponses, scheduler, registrations)
            : HotRodSiteStore.fenced(
                cache, hotRodResponses, scheduler, connections::get, registrations);
    stores.add(store);
    return store;
  }

  /**
   * The nodes that hold the open stores, as last announced by the site; none before that. Does not
   * wait.
   */
  Set<InetSocketAddress> nodes() {
    Set<InetSocketAddress> nodes = new HashSet<>();
    new ArrayList<>(stores).forEach(store -> nodes.addAll(store.nodes()));
    return nodes;
  }

  /**
   * Whether the site's endpoints have changed since the client was created, and the client uses
   * none of the new ones. A name and an address of one node count as two. Does not wait.
   */
  boolean isElsewhere() {
    List<Endpoint> now = where.get().endpoints();
    Set<InetSocketAddress> present = nodes();
    return manager != null
        && !now.equals(connectedTo)
        && now.stream()
            .map(node -> InetSocketAddress.createUnresolved(node.host(), node.port()))
            .noneMatch(present::contains);
  }

  /**
   * Replaces the client by a new one that has received a response from the site; if there is no
   * response, keeps the client. Requests in progress through the former client fail.
   */
  void renew() {
    List<HotRodSiteStore> following;
    synchronized (this) {
      if (closed || manager == null) {
        return;
      }
      following = new ArrayList<>(stores);
    }
    SiteConfiguration now = where.get();
    AtomicLong counted = new AtomicLong();
    RemoteCacheManager fresh = started(now, now.limits().longestRequest(), counted);
    Map<HotRodSiteStore, RemoteCache<byte[], byte[]>> found = new HashMap<>();
    boolean late;
    try {
      late =
          InterruptTimer.strikes(() -> look(fresh, following, found), LONGEST_RENEWAL, scheduler);
    } catch (RuntimeException silent) {
      LOG.debug("the replacement client receives no answer either; site={}", now.name(), silent);
      late = true;
    }
    RemoteCacheManager unwanted = late ? fresh : taken(fresh, now, counted, found);
    GuardedTransport.stop(unwanted);
  }

  /** As {@link #renew()}, ignoring a failure. */
  void renewOrStay() {
    try {
      renew();
    } catch (RuntimeException failed) {
      LOG.debug("the client could not be replaced; site={}", hotRodResponses.site(), failed);
    }
  }

  private static void look(
      RemoteCacheManager fresh,
      List<HotRodSiteStore> following,
      Map<HotRodSiteStore, RemoteCache<byte[], byte[]>> found) {
    fresh.getCache(ANY_CACHE);
    for (HotRodSiteStore store : following) {
      RemoteCache<byte[], byte[]> cache = fresh.getCache(store.name());
      if (cache != null) {
        found.put(store, cache);
      }
    }
  }

  /** Replaces the client by {@code fresh} and returns the former one. */
  private synchronized RemoteCacheManager taken(
      RemoteCacheManager fresh,
      SiteConfiguration now,
      AtomicLong counted,
      Map<HotRodSiteStore, RemoteCache<byte[], byte[]>> found) {
    RemoteCacheManager former = manager;
    if (closed || former == null) {
      return fresh;
    }
    LOG.info("replacing a client that receives no answers; site={}", hotRodResponses.site());
    manager = fresh;
    connections = counted;
    connectedTo = now.endpoints();
    for (HotRodSiteStore store : stores) {
      RemoteCache<byte[], byte[]> cache = found.get(store);
      if (cache == null) {
        store.lose();
      } else {
        store.connect(cache, counted::get);
      }
    }
    return former;
  }

  synchronized void close() {
    RemoteCacheManager present = manager;
    closed = true;
    registrations.close(() -> {});
    if (present != null) {
      GuardedTransport.stop(present);
    }
  }
}
