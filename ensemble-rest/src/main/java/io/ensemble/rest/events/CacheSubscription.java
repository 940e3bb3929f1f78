package io.ensemble.rest.events;

import io.ensemble.CacheDeletedException;
import io.ensemble.ChangeEvent;
import io.ensemble.ChangeStream;
import io.ensemble.ListenLimitException;
import io.ensemble.rest.events.CacheStreams.Bounds;
import io.ensemble.rest.events.CacheStreams.Message;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.StreamingBody;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of one cache for one client. Takes an event from the stream only when the client has
 * read those before, so what waits for a slow client is bounded by the stream, which reports a gap.
 */
final class CacheSubscription implements StreamingBody {

  private static final Logger LOG = LoggerFactory.getLogger(CacheSubscription.class);
  private static final long RETRY_MILLIS = 1_000;

  private static final String UNAUTHORIZED = "unauthorized";

  /** How many bytes are sent together, except for a single event. */
  private static final int BATCH_BYTES = 64 << 10;

  private final StreamSubscriber subscriber;
  private final ChangeStream<Object, Object> stream;
  private final Function<ChangeEvent<Object, Object>, Optional<Message>> toMessage;
  private final Bounds bounds;
  private final Executor executor;
  private final Consumer<CacheSubscription> onEnd;

  // The next five fields are guarded by this object's lock.
  private @Nullable Way connection;
  private @Nullable String endReason;
  private boolean isSending;
  private boolean isEnded;
  private long sendStartNanos;

  // The fields below are used by one task at a time.
  private @Nullable Throwable streamFailure;
  private long lastIdNanos;

  /** Whether the client has received events after the last position. */
  private boolean isIdDue;

  CacheSubscription(
      StreamSubscriber subscriber,
      ChangeStream<Object, Object> stream,
      Function<ChangeEvent<Object, Object>, Optional<Message>> toMessage,
      Bounds bounds,
      Executor executor,
      Consumer<CacheSubscription> onEnd) {
    this.subscriber = subscriber;
    this.stream = stream;
    this.toMessage = toMessage;
    this.bounds = bounds;
    this.executor = executor;
    this.onEnd = onEnd;
  }

  @Override
  public void begin(Way way) {
    boolean isOver;
    synchronized (this) {
      connection = way;
      isOver = isEnded;
    }
    if (isOver) {
      way.cut();
      return;
    }
    isIdDue = false;
    lastIdNanos = System.nanoTime();
    byte[] ready = ServerSentEvent.formatEvent(stream.position(), "ready", Map.of());
    send(way, concat(ServerSentEvent.formatRetry(RETRY_MILLIS), ready));
  }

  @Override
  public void abandon() {
    finish();
  }

  /** The position, which a client keeps without an event. */
  private byte[] position() {
    isIdDue = false;
    lastIdNanos = System.nanoTime();
    return ServerSentEvent.formatId(stream.position());
  }

  private void next() {
    Throwable failed = streamFailure;
    if (failed != null) {
      ended(failed);
      return;
    }
    Duration patience = bounds.heartbeat();
    if (isIdDue) {
      Duration left = bounds.idInterval().minusNanos(System.nanoTime() - lastIdNanos);
      patience = left.isNegative() ? Duration.ZERO : left;
    }
    try {
      stream
          .nextAsync(patience)
          .whenCompleteAsync(
              (event, failure) -> {
                try {
                  if (failure == null) {
                    received(event);
                  } else {
                    ended(failure);
                  }
                } catch (RuntimeException | Error broken) {
                  LOG.warn("a stream of changes failed", broken);
                  disconnect();
                }
              },
              executor);
    } catch (RejectedExecutionException | IllegalStateException ended) {
      disconnect();
    }
  }

  /** Whether the client may not receive what waits. */
  private synchronized boolean isRevoked() {
    return UNAUTHORIZED.equals(endReason);
  }

  private void ended(Throwable failure) {
    Way way = connection();
    if (way != null) {
      sendEnd(way, failure);
    }
  }

  private void received(Optional<ChangeEvent<Object, Object>> event) {
    Way way = connection();
    if (way == null) {
      return;
    }
    if (isRevoked()) {
      sendEnd(way, new SecurityException("the permission was revoked"));
      return;
    }
    ByteArrayOutputStream batch = new ByteArrayOutputStream();
    Optional<ChangeEvent<Object, Object>> present = event;
    while (present.isPresent()) {
      toMessage
          .apply(present.get())
          .ifPresent(
              message ->
                  batch.writeBytes(ServerSentEvent.formatEvent(message.name(), message.data())));
      isIdDue = true;
      present = batch.size() < BATCH_BYTES ? waiting() : Optional.empty();
    }
    if (isIdDue && System.nanoTime() - lastIdNanos >= bounds.idInterval().toNanos()) {
      batch.writeBytes(position());
    }
    send(way, batch.size() == 0 ? ServerSentEvent.COMMENT : batch.toByteArray());
  }

  /** An event that waits in the stream; empty if there is none, or if the stream has ended. */
  private Optional<ChangeEvent<Object, Object>> waiting() {
    CompletableFuture<Optional<ChangeEvent<Object, Object>>> next =
        stream
            .nextAsync(Duration.ZERO)
            .exceptionally(
                failure -> {
                  streamFailure = failure;
                  return Optional.empty();
                })
            .toCompletableFuture();
    return next.getNow(Optional.empty());
  }

  private void send(Way way, byte[] bytes) {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isSending = true;
      sendStartNanos = System.nanoTime();
    }
    sent(
        way.send(bytes),
        failure -> {
          if (failure == null) {
            next();
          } else {
            finish();
          }
        });
  }

  private void sent(CompletionStage<Void> sending, Consumer<@Nullable Throwable> then) {
    sending.whenComplete(
        (done, failure) -> {
          synchronized (this) {
            isSending = false;
          }
          try {
            executor.execute(() -> then.accept(failure));
          } catch (RejectedExecutionException ended) {
            disconnect();
          }
        });
  }

  private void sendEnd(Way way, Throwable failure) {
    String reason = endReason(failure);
    byte[] end = ServerSentEvent.formatEvent("end", Map.of("reason", reason));
    synchronized (this) {
      isSending = true;
      sendStartNanos = System.nanoTime();
    }
    sent(
        way.send(concat(isIdDue && !isRevoked() ? position() : new byte[0], end)),
        lost -> {
          if (lost == null) {
            way.end();
          }
          finish();
        });
  }

  private synchronized String endReason(Throwable failure) {
    if (endReason != null) {
      return endReason;
    }
    Throwable cause = ProblemMapper.unwrap(failure);
    if (cause instanceof CacheDeletedException) {
      return "deleted";
    }
    if (cause instanceof ListenLimitException) {
      return "too-many-keys";
    }
    if (cause instanceof UnsupportedOperationException) {
      return "not-offered";
    }
    LOG.info("a stream of changes ended: {}", cause.toString());
    return "failed";
  }

  private synchronized @Nullable Way connection() {
    return isEnded ? null : connection;
  }

  /**
   * Ends the stream; the client receives the reason after what it is being sent, and after what
   * waits, unless it is unauthorized.
   */
  void end(String reason) {
    boolean isBegun;
    synchronized (this) {
      if (endReason == null) {
        endReason = reason;
      }
      isBegun = connection != null;
    }
    stream.close(); // The read of the next event then fails.
    if (!isBegun) {
      finish();
    }
  }

  /** Disconnects a client that reads nothing, and checks the client's permission again. */
  void check(long now) {
    boolean isStalled;
    synchronized (this) {
      isStalled = isSending && now - sendStartNanos > bounds.stallTimeout().toNanos();
    }
    if (isStalled) {
      disconnect();
      return;
    }
    CompletionStage<Boolean> permission;
    try {
      permission = subscriber.permissionCheck().get();
    } catch (RuntimeException refused) {
      permission = CompletableFuture.failedFuture(refused);
    }
    permission.whenComplete(
        (isPermitted, failure) -> {
          if (failure != null || !isPermitted) {
            end(UNAUTHORIZED);
          }
        });
  }

  private void disconnect() {
    Way way = connection();
    if (way != null) {
      way.cut();
    }
    finish();
  }

  private void finish() {
    synchronized (this) {
      if (isEnded) {
        return;
      }
      isEnded = true;
    }
    stream.close();
    onEnd.accept(this);
  }

  private static byte[] concat(byte[] first, byte[] second) {
    ByteArrayOutputStream both = new ByteArrayOutputStream(first.length + second.length);
    both.writeBytes(first);
    both.writeBytes(second);
    return both.toByteArray();
  }
}
