package io.ensemble.rest.events;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeStream;
import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.StreamingBody;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Sends the changes of caches to clients. Each client has a stream of its own, with the position
 * that it resumes from, so any service can continue it. Thread-safe.
 */
public final class CacheStreams implements AutoCloseable {

  /**
   * The bounds of these streams.
   *
   * @param maxClients the maximum number of clients
   * @param maxClientsPerCaller the maximum number of clients of one caller
   * @param heartbeat the time without an event after which a heartbeat is sent
   * @param idInterval the time between two positions; shorter for rare events only
   * @param stallTimeout how long a client may take to read what it was sent, before its connection
   *     is closed
   */
  public record Bounds(
      int maxClients,
      int maxClientsPerCaller,
      Duration heartbeat,
      Duration idInterval,
      Duration stallTimeout) {

    /** The default bounds. Each client costs a table of the keys that it follows. */
    public static final Bounds DEFAULT =
        new Bounds(16, 8, Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(30));
  }

  /**
   * A change or a gap for a client.
   *
   * @param name the type of the event
   * @param data its content, as JSON
   */
  public record Message(String name, Map<String, Object> data) {}

  private final Bounds bounds;
  private final ConcurrencyLimit concurrencyLimit;
  private final ScheduledExecutorService scheduler =
      Executors.newScheduledThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "ensemble-rest-changes");
            thread.setDaemon(true);
            return thread;
          });

  // Both fields are guarded by this object's lock.
  private final Set<CacheSubscription> subscriptions = new LinkedHashSet<>();
  private boolean isClosed;

  /** Streams within {@code bounds}. */
  public CacheStreams(Bounds bounds) {
    this.bounds = bounds;
    concurrencyLimit =
        new ConcurrencyLimit(
            "streams of changes", bounds.maxClientsPerCaller(), bounds.maxClients());
    long checkMillis = Math.max(1, bounds.heartbeat().toMillis());
    scheduler.scheduleWithFixedDelay(this::check, checkMillis, checkMillis, TimeUnit.MILLISECONDS);
  }

  /**
   * Takes a place for one more client; {@link #leave} gives it back, unless {@link #body} was
   * called.
   *
   * @throws io.ensemble.rest.http.ProblemException if there are too many clients
   */
  public void enter(String caller) {
    concurrencyLimit.begin(caller);
  }

  /** Gives the place of a client back for which no stream was opened. */
  public void leave(String caller) {
    concurrencyLimit.end(caller);
  }

  /**
   * The response to a client that has a place. Closes {@code stream} and gives the place back at
   * its end.
   *
   * @param toMessage the message for an event; empty if the client is not to see the event
   */
  public StreamingBody body(
      StreamSubscriber subscriber,
      ChangeStream<Object, Object> stream,
      Function<ChangeEvent<Object, Object>, Optional<Message>> toMessage) {
    CacheSubscription subscription =
        new CacheSubscription(
            subscriber, stream, toMessage, bounds, scheduler, ended -> remove(subscriber, ended));
    synchronized (this) {
      if (isClosed) {
        stream.close();
        throw Problem.of(ProblemType.NOT_READY, "the service is stopping; nothing was done");
      }
      subscriptions.add(subscription);
    }
    return subscription;
  }

  private void remove(StreamSubscriber subscriber, CacheSubscription ended) {
    concurrencyLimit.end(subscriber.name());
    boolean isLast;
    synchronized (this) {
      subscriptions.remove(ended);
      isLast = isClosed && subscriptions.isEmpty();
    }
    if (isLast) {
      scheduler.shutdown();
    }
  }

  private void check() {
    long now = System.nanoTime();
    all().forEach(one -> one.check(now));
  }

  private synchronized List<CacheSubscription> all() {
    return List.copyOf(subscriptions);
  }

  /** The number of clients. */
  public synchronized int clients() {
    return subscriptions.size();
  }

  /** Ends the streams of all clients. */
  @Override
  public void close() {
    List<CacheSubscription> ending;
    synchronized (this) {
      isClosed = true;
      ending = List.copyOf(subscriptions);
    }
    ending.forEach(one -> one.end("closing"));
    if (ending.isEmpty()) {
      scheduler.shutdown();
    }
  }
}
