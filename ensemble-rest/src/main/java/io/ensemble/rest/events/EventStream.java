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

  private final Supplier<FederationSnapshot> snapshotSource;
  private final EventBounds bounds;
  private final String streamId =
      UUID.randomUUID().toString().replace("-", "").substring(0, LIFE_DIGITS);
  private final ScheduledExecutorService scheduler =
      Executors.newScheduledThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "ensemble-rest-events");
            thread.setDaemon(true);
            return thread;
          });

  /** Held while one thread takes a snapshot. */
  private final Object snapshotLock = new Object();

  // All fields below are guarded by this object's lock.
  private final Set<EventSubscription> listeners = new LinkedHashSet<>();
  private final Map<EventSubscription, Boolean> awaitingState = new LinkedHashMap<>();
  private final Deque<ServerSentEvent> history = new ArrayDeque<>();
  private @Nullable FederationSnapshot current;
  private Instant snapshotTime = Instant.EPOCH;
  private long snapshotNanos = System.nanoTime();
  private long lastEventNumber;
  private boolean closed;

  /**
   * @param snapshotSource takes a snapshot; may block, and must not fail
   */
  public EventStream(Supplier<FederationSnapshot> snapshotSource, EventBounds bounds) {
    this.snapshotSource = snapshotSource;
    this.bounds = bounds;
    long intervalMillis = bounds.interval().toMillis();
    scheduler.scheduleWithFixedDelay(
        this::refresh, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    long heartbeatMillis = Math.max(1, bounds.heartbeat().toMillis() / BEATS_IN_A_BEAT);
    scheduler.scheduleWithFixedDelay(
        this::sendHeartbeats, heartbeatMillis, heartbeatMillis, TimeUnit.MILLISECONDS);
  }

  /** The number of subscribers. */
  public synchronized int listeners() {
    return listeners.size();
  }

  /**
   * Adds a subscriber.
   *
   * @param lastPosition the last position that the client has received; empty for none
   * @throws ProblemException if there are too many subscribers
   */
  public StreamingBody listen(
      StreamSubscriber streamSubscriber,
      Set<SnapshotSection> sections,
      Optional<String> lastPosition) {
    return connection -> subscribe(streamSubscriber, sections, lastPosition).begin(connection);
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
    if (listeners.size() >= bounds.maxClients()) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.BUSY,
                  "at most %d clients may listen; nothing was done".formatted(bounds.maxClients()))
              .header("Retry-After", "5"));
    }
    if (countOfCaller(streamSubscriber) >= bounds.maxClientsPerCaller()) {
      throw new ProblemException(
          Problem.bare(
                  ProblemType.TOO_MANY_REQUESTS,
                  "at most %d clients of one caller may listen; nothing was done"
                      .formatted(bounds.maxClientsPerCaller()))
              .with("most", bounds.maxClientsPerCaller())
              .header("Retry-After", "5"));
    }
  }

  /** The number of subscribers of one caller. Called under this object's lock. */
  private long countOfCaller(StreamSubscriber streamSubscriber) {
    return listeners.stream()
        .filter(listener -> listener.name().equals(streamSubscriber.name()))
        .count();
  }

  private EventSubscription subscribe(
      StreamSubscriber streamSubscriber,
      Set<SnapshotSection> sections,
      Optional<String> lastPosition) {
    EventSubscription[] holder = new EventSubscription[1];
    EventSubscription listener =
        new EventSubscription(streamSubscriber, sections, bounds, () -> remove(holder[0]));
    holder[0] = listener;
    listener.enqueueFirst(ServerSentEvent.formatRetry(RETRY_MILLIS));
    synchronized (this) {
      if (closed
          || listeners.size() >= bounds.maxClients()
          || countOfCaller(streamSubscriber) >= bounds.maxClientsPerCaller()) {
        listener.end(closed ? "closing" : "too-many");
        return listener;
      }
      listeners.add(listener);
      Optional<List<ServerSentEvent>> missed = lastPosition.flatMap(this::findEventsAfter);
      if (missed.isPresent()) {
        missed.get().stream()
            .filter(event -> sections.contains(event.section()))
            .forEach(event -> listener.enqueueFirst(event.text()));
        return listener;
      }
      if (lastPosition.isPresent()) {
        listener.enqueueFirst(
            ServerSentEvent.formatEvent(
                "reset",
                Map.of(
                    "reason",
                    "the position is not known to this process",
                    "position",
                    lastPosition.get())));
      }
      if (current == null || ageMillis() > OLD_INTERVALS * bounds.interval().toMillis()) {
        awaitingState.put(listener, true);
        scheduler.execute(this::refresh);
      } else {
        listener.enqueueFirst(toStateEvent(listener));
      }
    }
    return listener;
  }

  /** Called under this object's lock. */
  private byte[] toStateEvent(EventSubscription listener) {
    return ServerSentEvent.formatEvent(
        ServerSentEvent.formatPosition(streamId, lastEventNumber),
        "state",
        document(listener.sections()));
  }

  /**
   * The events after a position; empty if the position is unknown. Called under this object's lock.
   */
  private Optional<List<ServerSentEvent>> findEventsAfter(String position) {
    int dash = position.lastIndexOf('-');
    if (dash < 0 || !position.substring(0, dash).equals(streamId) || current == null) {
      return Optional.empty();
    }
    try {
      long from = Long.parseLong(position.substring(dash + 1));
      long oldest = history.isEmpty() ? lastEventNumber : history.getFirst().number() - 1;
      return from < oldest || from > lastEventNumber
          ? Optional.empty()
          : Optional.of(history.stream().filter(event -> event.number() > from).toList());
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private synchronized void remove(EventSubscription listener) {
    listeners.remove(listener);
    awaitingState.remove(listener);
  }

  private void refresh() {
    if (listeners() > 0) {
      try {
        takeSnapshot();
      } catch (RuntimeException | Error broken) {
        LOG.error("the state of the federation cannot be read", broken);
      }
    }
  }

  private void sendHeartbeats() {
    List<EventSubscription> subscribers;
    long ageMillis;
    synchronized (this) {
      subscribers = List.copyOf(listeners);
      ageMillis = ageMillis();
    }
    long now = System.nanoTime();
    subscribers.forEach(listener -> listener.checkProgress(now, ageMillis));
  }

  /**
   * The age of the last snapshot; before the first one, the age of this object. Called under this
   * object's lock.
   */
  private long ageMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - snapshotNanos);
  }

  /** Takes a snapshot, sends the differences to the subscribers, and returns the state. Blocks. */
  public Map<String, Object> takeSnapshot() {
    synchronized (snapshotLock) {
      FederationSnapshot next = snapshotSource.get();
      synchronized (this) {
        return publish(next);
      }
    }
  }

  /** Called under this object's lock. */
  private Map<String, Object> publish(FederationSnapshot next) {
    List<ServerSentEvent> events = new ArrayList<>();
    if (current != null) {
      for (SnapshotChange snapshotChange : current.changesTo(next)) {
        lastEventNumber++;
        events.add(ServerSentEvent.of(streamId, lastEventNumber, snapshotChange));
      }
    }
    current = next;
    snapshotTime = Instant.now();
    snapshotNanos = System.nanoTime();
    history.addAll(events);
    while (history.size() > bounds.keptEvents()) {
      history.removeFirst();
    }
    for (EventSubscription listener : List.copyOf(listeners)) {
      if (awaitingState.remove(listener) != null) {
        listener.enqueueFirst(toStateEvent(listener));
      } else {
        events.forEach(listener::enqueue);
      }
    }
    return document(Set.of(SnapshotSection.values()));
  }

  /** Called under this object's lock. */
  private Map<String, Object> document(Set<SnapshotSection> sections) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("process", streamId);
    document.put("position", ServerSentEvent.formatPosition(streamId, lastEventNumber));
    document.put("seenAt", snapshotTime.toString());
    if (current != null) {
      document.putAll(current.document(sections));
    }
    return document;
  }

  /** Ends the stream for all subscribers. */
  @Override
  public void close() {
    List<EventSubscription> subscribers;
    synchronized (this) {
      closed = true;
      subscribers = List.copyOf(listeners);
    }
    scheduler.shutdownNow();
    subscribers.forEach(listener -> listener.end("closing"));
  }
}
