package io.ensemble.rest.events;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.StreamingBody;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends changes of the federation to clients. The stream takes a snapshot periodically while there
 * is a subscriber, and on request, and sends the differences. A thing that appears and disappears
 * between two snapshots is not reported.
 *
 * <p>Positions belong to one life of one process. A client with another position, or with one that
 * is no longer kept, receives a reset and the whole state. Thread-safe.
 */
public final class EventStream implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
  private static final int LIFE_DIGITS = 12;
  private static final long RETRY_MILLIS = 1_000;
  private static final int BEATS_IN_A_BEAT = 4;
  private static final int OLD_INTERVALS = 2;

  private final Supplier<FederationSnapshot> looking;
  private final EventBounds bounds;
  private final String life =
      UUID.randomUUID().toString().replace("-", "").substring(0, LIFE_DIGITS);
  private final ScheduledExecutorService clock =
      Executors.newScheduledThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "ensemble-rest-events");
            thread.setDaemon(true);
            return thread;
          });

  /** Held while one thread takes a snapshot. */
  private final Object turn = new Object();

  // All fields below are guarded by this object's lock.
  private final Set<EventSubscription> listeners = new LinkedHashSet<>();
  private final Map<EventSubscription, Boolean> fresh = new LinkedHashMap<>();
  private final Deque<ServerSentEvent> past = new ArrayDeque<>();
  private @Nullable FederationSnapshot current;
  private Instant seenAt = Instant.EPOCH;
  private long seenNanos = System.nanoTime();
  private long number;
  private boolean closed;

  /**
   * @param looking takes a snapshot; may block, and must not fail
   */
  public EventStream(Supplier<FederationSnapshot> looking, EventBounds bounds) {
    this.looking = looking;
    this.bounds = bounds;
    long interval = bounds.interval().toMillis();
    clock.scheduleWithFixedDelay(this::tick, interval, interval, TimeUnit.MILLISECONDS);
    long beat = Math.max(1, bounds.beat().toMillis() / BEATS_IN_A_BEAT);
    clock.scheduleWithFixedDelay(this::beat, beat, beat, TimeUnit.MILLISECONDS);
  }

  /** The number of subscribers. */
  public synchronized int listeners() {
    return listeners.size();
  }

  /**
   * Adds a subscriber.
   *
   * @param last the last position that the client has received; empty for none
   * @throws ProblemException if there are too many subscribers
   */
  public StreamingBody listen(
      StreamSubscriber streamSubscriber, Set<SnapshotSection> wanted, Optional<String> last) {
    return way -> admit(streamSubscriber, wanted, last).begin(way);
  }

  /**
   * Checks whether {@link #listen} would accept a subscriber.
   *
   * @throws ProblemException if there are too many subscribers
   */
  public synchronized void check(StreamSubscriber streamSubscriber) {
    if (closed) {
      throw Problem.of(ProblemType.NOT_READY, "the service is stopping; nothing was done");
    }
    if (listeners.size() >= bounds.clients()) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d clients may listen; nothing was done".formatted(bounds.clients()))
              .header("Retry-After", "5"));
    }
    if (ofOne(streamSubscriber) >= bounds.clientsOfOne()) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "at most %d clients of one caller may listen; nothing was done"
                      .formatted(bounds.clientsOfOne()))
              .with("most", bounds.clientsOfOne())
              .header("Retry-After", "5"));
    }
  }

  /** The number of subscribers of one caller. Called under this object's lock. */
  private long ofOne(StreamSubscriber streamSubscriber) {
    return listeners.stream().filter(one -> one.name().equals(streamSubscriber.name())).count();
  }

  private EventSubscription admit(
      StreamSubscriber streamSubscriber, Set<SnapshotSection> wanted, Optional<String> last) {
    EventSubscription[] self = new EventSubscription[1];
    EventSubscription listener =
        new EventSubscription(streamSubscriber, wanted, bounds, () -> remove(self[0]));
    self[0] = listener;
    listener.first(ServerSentEvent.retry(RETRY_MILLIS));
    synchronized (this) {
      if (closed
          || listeners.size() >= bounds.clients()
          || ofOne(streamSubscriber) >= bounds.clientsOfOne()) {
        listener.end(closed ? "closing" : "too-many");
        return listener;
      }
      listeners.add(listener);
      Optional<List<ServerSentEvent>> missed = last.flatMap(this::since);
      if (missed.isPresent()) {
        missed.get().stream()
            .filter(event -> wanted.contains(event.section()))
            .forEach(event -> listener.first(event.text()));
        return listener;
      }
      if (last.isPresent()) {
        listener.first(
            ServerSentEvent.named(
                "reset",
                Map.of(
                    "reason",
                    "the position is not known to this process",
                    "position",
                    last.get())));
      }
      if (current == null || ageMillis() > OLD_INTERVALS * bounds.interval().toMillis()) {
        fresh.put(listener, true);
        clock.execute(this::tick);
      } else {
        listener.first(state(listener));
      }
    }
    return listener;
  }

  /** Called under this object's lock. */
  private byte[] state(EventSubscription listener) {
    return ServerSentEvent.named(
        ServerSentEvent.position(life, number), "state", document(listener.wanted()));
  }

  /**
   * The events after a position; empty if the position is unknown. Called under this object's lock.
   */
  private Optional<List<ServerSentEvent>> since(String position) {
    int dash = position.lastIndexOf('-');
    if (dash < 0 || !position.substring(0, dash).equals(life) || current == null) {
      return Optional.empty();
    }
    try {
      long from = Long.parseLong(position.substring(dash + 1));
      long oldest = past.isEmpty() ? number : past.getFirst().number() - 1;
      return from < oldest || from > number
          ? Optional.empty()
          : Optional.of(past.stream().filter(event -> event.number() > from).toList());
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private synchronized void remove(EventSubscription listener) {
    listeners.remove(listener);
    fresh.remove(listener);
  }

  private void tick() {
    if (listeners() > 0) {
      try {
        look();
      } catch (RuntimeException | Error broken) {
        LOG.error("the state of the federation cannot be read", broken);
      }
    }
  }

  private void beat() {
    List<EventSubscription> all;
    long ageMillis;
    synchronized (this) {
      all = List.copyOf(listeners);
      ageMillis = ageMillis();
    }
    long now = System.nanoTime();
    all.forEach(listener -> listener.beat(now, ageMillis));
  }

  /**
   * The age of the last snapshot; before the first one, the age of this object. Called under this
   * object's lock.
   */
  private long ageMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - seenNanos);
  }

  /** Takes a snapshot, sends the differences to the subscribers, and returns the state. Blocks. */
  public Map<String, Object> look() {
    synchronized (turn) {
      FederationSnapshot next = looking.get();
      synchronized (this) {
        return told(next);
      }
    }
  }

  /** Called under this object's lock. */
  private Map<String, Object> told(FederationSnapshot next) {
    List<ServerSentEvent> events = new ArrayList<>();
    if (current != null) {
      for (SnapshotChange snapshotChange : current.to(next)) {
        number++;
        events.add(ServerSentEvent.of(life, number, snapshotChange));
      }
    }
    current = next;
    seenAt = Instant.now();
    seenNanos = System.nanoTime();
    past.addAll(events);
    while (past.size() > bounds.kept()) {
      past.removeFirst();
    }
    for (EventSubscription listener : List.copyOf(listeners)) {
      if (fresh.remove(listener) != null) {
        listener.first(state(listener));
      } else {
        events.forEach(listener::tell);
      }
    }
    return document(Set.of(SnapshotSection.values()));
  }

  /** Called under this object's lock. */
  private Map<String, Object> document(Set<SnapshotSection> wanted) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("process", life);
    shown.put("position", ServerSentEvent.position(life, number));
    shown.put("seenAt", seenAt.toString());
    if (current != null) {
      shown.putAll(current.document(wanted));
    }
    return shown;
  }

  /** Ends the stream for all subscribers. */
  @Override
  public void close() {
    List<EventSubscription> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(listeners);
    }
    clock.shutdownNow();
    all.forEach(listener -> listener.end("closing"));
  }
}
