package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
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
  static final Duration KEPT = Duration.ofSeconds(3);

  /** As many as tasks run at a time. */
  static final int MOST = 2;

  /** A kept client may wait this many times longer for an answer than a new one would. */
  static final int LONGER = 4;

  private static final long AGAIN_NANOS = Duration.ofSeconds(1).toNanos();

  /**
   * @param longest how long a request may take
   */
  record Client(Endpoint node, Duration longest, RemoteCacheManager manager) {

    boolean isFor(Duration asked) {
      return longest.compareTo(asked) >= 0 && longest.compareTo(asked.multipliedBy(LONGER)) <= 0;
    }

    void stop() {
      GuardedTransport.stop(manager);
    }
  }

  private record Idle(Client client, long sinceNanos) {}

  private final Scheduler scheduler;
  private final Predicate<Runnable> background;

  // Both are guarded by this object's lock. The client that was used last is the first.
  private final Deque<Idle> idle = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param background runs what blocks; returns false if it cannot at present
   */
  IdleClients(Scheduler scheduler, Predicate<Runnable> background) {
    this.scheduler = scheduler;
    this.background = background;
  }

  /** Removes and returns a client of one of {@code nodes}, or null. Its node may be gone. */
  synchronized @Nullable Client take(List<Endpoint> nodes, Duration longest) {
    for (Iterator<Idle> each = idle.iterator(); each.hasNext(); ) {
      Client client = each.next().client();
      if (client.isFor(longest) && nodes.contains(client.node())) {
        each.remove();
        return client;
      }
    }
    return null;
  }

  /** Keeps a client that has just been used, and stops the one that was used least recently. */
  void keep(Client client) {
    Client unwanted;
    synchronized (this) {
      if (closed) {
        unwanted = client;
      } else {
        idle.addFirst(new Idle(client, scheduler.nanos()));
        unwanted = idle.size() > MOST ? idle.removeLast().client() : null;
      }
    }
    if (unwanted != client) {
      scheduler.after(KEPT.toNanos(), this::expire);
    }
    if (unwanted != null) {
      unwanted.stop();
    }
  }

  /** Does not block: a scheduler calls it. */
  private void expire() {
    if (isAnyOld() && !background.test(this::stopOld)) {
      scheduler.after(AGAIN_NANOS, this::expire);
    }
  }

  private synchronized boolean isAnyOld() {
    return idle.stream().anyMatch(this::isOld);
  }

  private boolean isOld(Idle one) {
    return scheduler.nanos() - one.sinceNanos() >= KEPT.toNanos();
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
    List<Idle> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(idle);
      idle.clear();
    }
    all.forEach(one -> one.client().stop());
  }
}
