package io.ensemble.site.hotrod;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;

/**
 * Runs tasks of a site's servers, each at one node, by a client that uses no other.
 *
 * <p>A server first looks for a script of a task's name, on the thread that reads from the network.
 * While a server of 16.0.7 starts, that thread waits there for the scripts' cache, and the start of
 * that cache waits for the thread. The server then hangs forever. A {@link StorePing} starts that
 * cache on another thread, and is answered when the cache runs; a client sends such a ping of its
 * own when it opens the cache. Where a site has several nodes, the task must then go to the same
 * node that has answered, because its peers may still be starting. Servers without scripts do not
 * have the cache, and do not hang.
 *
 * <p>Methods block; thread-safe.
 */
final class SiteTaskRunner {

  private static final String SCRIPTS = "___script_cache";

  private final Supplier<List<Endpoint>> endpoints;
  private final BiFunction<Endpoint, Duration, RemoteCacheManager> starter;
  private final Predicate<RemoteCacheManager> hail;
  private final AtomicInteger first = new AtomicInteger();

  SiteTaskRunner(HotRodClient client) {
    this(client::endpoints, client::startedAt, one -> one.getCache(SCRIPTS) != null);
  }

  /**
   * @param starter creates a client of one node, with how long a request may take
   * @param hail whether the node has the scripts' cache, running; fails while the cache is starting
   */
  SiteTaskRunner(
      Supplier<List<Endpoint>> endpoints,
      BiFunction<Endpoint, Duration, RemoteCacheManager> starter,
      Predicate<RemoteCacheManager> hail) {
    this.endpoints = endpoints;
    this.starter = starter;
    this.hail = hail;
  }

  /**
   * The result of {@code task} at the first node that can run it, beginning with the node that
   * could last time. Fails as the task does, or as the last node that did not answer.
   *
   * @param longest how long a request may take
   */
  <T> T run(Duration longest, Function<RemoteCacheManager, T> task) {
    List<Endpoint> nodes = endpoints.get();
    HotRodClientException silent = null;
    Endpoint withoutScripts = null;
    int begin = first.get();
    for (int i = 0; i < nodes.size(); i++) {
      int index = Math.floorMod(begin + i, nodes.size());
      RemoteCacheManager one = starter.apply(nodes.get(index), longest);
      try {
        boolean runs;
        try {
          runs = hail.test(one);
        } catch (HotRodClientException starting) {
          silent = starting;
          first.set(index + 1);
          continue;
        }
        if (runs) {
          return task.apply(one);
        }
        withoutScripts = nodes.get(index);
      } finally {
        GuardedTransport.stop(one);
      }
    }
    if (withoutScripts == null) {
      throw silent == null ? new IllegalStateException("a site without endpoints") : silent;
    }
    RemoteCacheManager one = starter.apply(withoutScripts, longest);
    try {
      return task.apply(one); // No node that answers has scripts.
    } finally {
      GuardedTransport.stop(one);
    }
  }
}
