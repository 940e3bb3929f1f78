package io.ensemble.heat;

import io.ensemble.heat.HeatClients.Client;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes windows that have ended, in their order. A window whose publication failed, or has an
 * unknown outcome, is published again under the same key. Thread-safe; one thread at a time
 * publishes.
 */
final class WindowPublisher {

  /** How many windows wait; the oldest is dropped for a further one. */
  static final int MOST_WAITING = 512;

  /** How often a window is published before it is dropped. */
  static final int MOST_ATTEMPTS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(WindowPublisher.class);

  private final Supplier<HeatEntries> opening;
  private final HeatSettings settings;
  private final Deque<ClosedWindow> waiting = new ArrayDeque<>(); // Guarded by itself.
  private final Object publishing = new Object();
  private @Nullable HeatEntries entries; // These four are guarded by `publishing`.
  private @Nullable ClosedWindow failed;
  private int attempts;
  private int roundsToSkip;
  private volatile long dropped;

  /**
   * @param opening opens the entries, and may fail
   */
  WindowPublisher(Supplier<HeatEntries> opening, HeatSettings settings) {
    this.opening = opening;
    this.settings = settings;
  }

  void add(ClosedWindow window) {
    synchronized (waiting) {
      if (waiting.size() == MOST_WAITING) {
        waiting.removeFirst();
        dropped++;
      }
      waiting.addLast(window);
    }
  }

  /** How many windows were dropped: too many waited, or one failed too often. */
  long dropped() {
    return dropped;
  }

  int waiting() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  /**
   * Publishes all windows that wait, until one fails. After a failure the next 1, 2, 4 and so on
   * calls do nothing, 32 at most.
   */
  void publish() {
    synchronized (publishing) {
      if (roundsToSkip > 0) {
        roundsToSkip--;
        return;
      }
      publishNow();
    }
  }

  /** As {@link #publish}, without skipping calls after a failure. */
  void publishNow() {
    synchronized (publishing) {
      for (ClosedWindow next = first(); next != null; next = first()) {
        if (!isPublished(next)) {
          return;
        }
        done(next);
      }
    }
  }

  private @Nullable ClosedWindow first() {
    synchronized (waiting) {
      return waiting.peekFirst();
    }
  }

  private void done(ClosedWindow window) {
    synchronized (waiting) {
      if (waiting.peekFirst() == window) {
        waiting.removeFirst();
      }
    }
  }

  private boolean isPublished(ClosedWindow window) {
    if (failed != window) {
      failed = window;
      attempts = 0;
    }
    try {
      HeatEntries shared = entries;
      if (shared == null) {
        shared = opening.get();
        entries = shared;
      }
      publish(shared, window);
      roundsToSkip = 0;
      return true;
    } catch (RuntimeException failure) {
      return isGivenUp(window, failure);
    }
  }

  private void publish(HeatEntries shared, ClosedWindow window) {
    shared.put(window.key(), window.bytes(), settings.retention());
    String key = ClosedWindow.clientsKey(window.cache(), HeatClients.slot(window.client()));
    byte[] known = shared.getLists(Set.of(key)).get(key);
    Optional<Client> announced = HeatClients.of(known).client(window.client());
    if (announced.isEmpty() || announced.get().untilMillis() <= window.startMillis()) {
      long renewal = settings.retention().dividedBy(4).toMillis();
      Client self =
          new Client(
              window.client(),
              settings.window().toMillis(),
              window.startMillis() + Math.max(renewal, settings.window().toMillis()));
      long oldest = window.startMillis() - 2 * settings.retention().toMillis();
      shared.change(
          key,
          present -> HeatClients.of(present).with(self, oldest).toBytes(),
          settings.retention().multipliedBy(2));
    }
  }

  /** Whether the window is dropped after its last attempt. */
  private boolean isGivenUp(ClosedWindow window, RuntimeException failure) {
    attempts++;
    entries = null; // The cache may have been deleted, and created again.
    roundsToSkip = 1 << Math.min(attempts - 1, 5);
    if (attempts == 1) {
      LOG.warn(
          "a window of a heat map was not published, or perhaps not; it is published again up to "
              + "{} times; cache={} start={} why={}",
          MOST_ATTEMPTS,
          window.cache(),
          Instant.ofEpochMilli(window.startMillis()),
          failure.toString());
    }
    if (attempts < MOST_ATTEMPTS) {
      return false;
    }
    synchronized (waiting) {
      dropped++;
    }
    LOG.warn("a window of a heat map is dropped; cache={}", window.cache(), failure);
    return true;
  }
}
