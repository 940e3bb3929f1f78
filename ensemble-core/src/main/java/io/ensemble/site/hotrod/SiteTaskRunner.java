package io.ensemble.site.hotrod;

import io.ensemble.site.hotrod.IdleClients.Client;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks of a site's servers, each at one node, by a client that uses no other.
 *
 * <p>A server first looks for a script of a task's name, on the thread that reads from the network.
 * While a server of 16.0.7 starts, that thread waits there for the scripts' cache, and the start of
 * that cache waits for the thread. The server then hangs forever. A {@link StorePing} starts that
 * cache on another thread, and is answered when the cache runs; a client sends such a ping when it
 * opens the cache. Where a site has several nodes, the task must then go to the same node that has
 * answered, because its peers may still be starting. Servers without scripts do not have the cache,
 * and do not hang.
 *
 * <p>A client whose task succeeded is kept for a few seconds ({@link IdleClients}). It runs another
 * task only after its node has answered again.
 *
 * <p>Methods block; thread-safe.
 */
final class SiteTaskRunner {

  private static final Logger LOG = LoggerFactory.getLogger(SiteTaskRunner.class);

  /** How long the node of a kept client may take to answer; a new client would connect by then. */
  private static final Duration LONGEST_PING = Duration.ofSeconds(1);

  private static final String SCRIPTS = "___script_cache";

  private final Supplier<List<Endpoint>> endpoints;
  private final BiFunction<Endpoint, Duration, RemoteCacheManager> starter;
  private final Predicate<RemoteCacheManager> ping;
  private final IdleClients idleClients;
  private final AtomicInteger first = new AtomicInteger();

  SiteTaskRunner(HotRodClient client, IdleClients idleClients) {
    this(client::endpoints, client::startedAt, SiteTaskRunner::runsScripts, idleClients);
  }

  /**
   * @param starter creates a client of one node, with how long a request may take
   * @param ping asks the node whether it has the scripts' cache, running; fails while the cache is
   *     starting
   */
  SiteTaskRunner(
      Supplier<List<Endpoint>> endpoints,
      BiFunction<Endpoint, Duration, RemoteCacheManager> starter,
      Predicate<RemoteCacheManager> ping,
      IdleClients idleClients) {
    this.endpoints = endpoints;
    this.starter = starter;
    this.ping = ping;
    this.idleClients = idleClients;
  }

  /** The client forgets the cache, so that it asks for it again by a ping. */
  private static boolean runsScripts(RemoteCacheManager manager) {
    manager.stopCache(SCRIPTS);
    return manager.getCache(SCRIPTS) != null;
  }

  /**
   * The result of {@code task} at the first node that can run it, beginning with the node that
   * could last time. Fails as the task does, or as the last node that did not answer.
   *
   * @param longest how long a request may take; the client may wait up to twice as long
   */
  <T> T run(Duration longest, Function<RemoteCacheManager, T> task) {
    List<Endpoint> nodes = endpoints.get();
    Duration timeout = timeout(longest);
    Client kept = kept(nodes, timeout);
    Client client = kept == null ? started(nodes, timeout) : kept;
    boolean done = false;
    try {
      T result = task.apply(client.manager());
      done = true;
      return result;
    } finally {
      if (done) {
        idleClients.keep(client);
      } else {
        client.stop();
      }
    }
  }

  /** A power of two in seconds, so that clients of about the same timeout can be kept. */
  private static Duration timeout(Duration longest) {
    Duration timeout = Duration.ofSeconds(1);
    while (timeout.compareTo(longest) < 0) {
      timeout = timeout.multipliedBy(2);
    }
    return timeout;
  }

  /** A kept client, whose node can run a task; null if there is none. */
  private @Nullable Client kept(List<Endpoint> nodes, Duration timeout) {
    Client kept = idleClients.take(nodes, timeout);
    if (kept == null) {
      return null;
    }
    AtomicBoolean hasScripts = new AtomicBoolean();
    try {
      InterruptTimer.strikes(
          () -> hasScripts.set(hasScripts(kept)), LONGEST_PING, idleClients.scheduler());
    } catch (HotRodClientException gone) {
      LOG.debug("the node of a kept client does not answer; node={}", kept.node(), gone);
    }
    if (!hasScripts.get()) {
      first.set(nodes.indexOf(kept.node()) + 1);
      return null;
    }
    return kept;
  }

  private Client started(List<Endpoint> nodes, Duration timeout) {
    HotRodClientException silent = null;
    Endpoint withoutScripts = null;
    int begin = first.get();
    for (int i = 0; i < nodes.size(); i++) {
      int index = Math.floorMod(begin + i, nodes.size());
      Client one = started(nodes.get(index), timeout);
      try {
        if (hasScripts(one)) {
          return one;
        }
        withoutScripts = one.node();
      } catch (HotRodClientException starting) {
        silent = starting;
        first.set(index + 1);
      }
    }
    if (withoutScripts == null) {
      throw silent == null ? new IllegalStateException("a site without endpoints") : silent;
    }
    return started(withoutScripts, timeout); // No node that answers has scripts.
  }

  private Client started(Endpoint node, Duration timeout) {
    long now = idleClients.scheduler().nanos();
    return new Client(node, timeout, starter.apply(node, timeout), now);
  }

  /** Asks the node; stops the client if it has no scripts, or does not answer. */
  private boolean hasScripts(Client client) {
    boolean has = false;
    try {
      has = ping.test(client.manager());
      return has;
    } finally {
      if (!has) {
        client.stop();
      }
    }
  }
}
