package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.jspecify.annotations.Nullable;

/**
 * Clients of one node each, kept for a few seconds between two tasks. Tasks come in groups: a
 * strong cache has several stores. A new client with TLS and a password costs up to half a second
 * of processor time, and its end may wait for two seconds. Thread-safe.
 */
final class IdleClients {

  /** How long a client is kept that is not used. */
  static final Duration IDLE_TIMEOUT = Duration.ofSeconds(3);

  /** How long a client is used at most: passwords, certificates and permissions may change. */
  static final Duration MAX_AGE = Duration.ofSeconds(30);

  /** As many as tasks run at a time. */
  static final int MAX_CLIENTS = 2;

  private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();

  /**
   * @param timeout of a request
   */
  record Client(Endpoint node, Duration timeout, RemoteCacheManager manager, long createdNanos) {

    void stop() {
      GuardedTransport.stop(manager);
    }
  }

  private record IdleClient(Client client, long sinceNanos) {}

  private final Scheduler scheduler;
  private final Predicate<Runnable> background;

  // Both are guarded by this object's lock. The client that was used last is the first.
  private final Deque<IdleClient> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param background runs what blocks; returns false if it cannot at present
   */
  IdleClients(Scheduler scheduler, Predicate<Runnable> background) {
    this.scheduler = scheduler;
    this.background = background;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /**
   * Removes and returns a client of one of {@code nodes}, or null. Its node may be gone.
   *
   * @param timeout of requests of the client
   */
  synchronized @Nullable Client take(List<Endpoint> nodes, Duration timeout) {
    for (Iterator<IdleClient> each = idle.iterator(); each.hasNext(); ) {
      Client client = each.next().client();
      if (client.timeout().equals(timeout) && nodes.contains(client.node())) {
        each.remove();
        return client;
      }
    }
    return null;
  }

  /** Keeps a client that has just been used, and stops the one that was used least recently. */
  void keep(Client client) {
    Client unwanted = added(client);
    if (unwanted != null) {
      unwanted.stop();
    }
    if (unwanted != client) {
      try {
        scheduler.after(IDLE_TIMEOUT.toNanos(), this::expire);
      } catch (RejectedExecutionException ended) {
        close();
      }
    }
  }

  /** The client that is to be stopped, or null. */
  private synchronized @Nullable Client added(Client client) {
    if (closed || scheduler.nanos() - client.createdNanos() >= MAX_AGE.toNanos()) {
      return client;
    }
    idle.addFirst(new IdleClient(client, scheduler.nanos()));
    return idle.size() > MAX_CLIENTS ? idle.removeLast().client() : null;
  }

  /** Does not block: a scheduler calls it. */
  private void expire() {
    if (isAnyOld() && !background.test(this::stopOld)) {
      scheduler.after(RETRY_NANOS, this::expire);
    }
  }

  private synchronized boolean isAnyOld() {
    return idle.stream().anyMatch(this::isOld);
  }

  private boolean isOld(IdleClient one) {
    return scheduler.nanos() - one.sinceNanos() >= IDLE_TIMEOUT.toNanos();
  }

  private void stopOld() {
    List<Client> old = new ArrayList<>();
    synchronized (this) {
      while (!idle.isEmpty() && isOld(idle.getLast())) {
        old.add(idle.removeLast().client());
      }
    }
    old.forEach(Client::stop);
  }

  /** Stops all; a client that is returned later is stopped at once. Blocks. */
  void close() {
    List<IdleClient> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(idle);
      idle.clear();
    }
    all.forEach(one -> one.client().stop());
  }
}
