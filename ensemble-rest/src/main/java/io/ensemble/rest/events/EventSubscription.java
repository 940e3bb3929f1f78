package io.ensemble.rest.events;

import io.ensemble.rest.http.StreamingBody;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One subscriber of the event stream. The bytes that wait for a client are bounded, and a client
 * that is too slow is disconnected.
 */
final class EventSubscription {

  private final Set<SnapshotSection> sections;
  private final EventBounds bounds;
  private final Runnable onEnd;
  private final StreamSubscriber streamSubscriber;

  // All fields below are guarded by this object's lock.
  private final Deque<byte[]> pending = new ArrayDeque<>();
  private StreamingBody.@Nullable Way connection;
  private long pendingBytes;
  private boolean sending;
  private long sendStartNanos;
  private long lastSentNanos = System.nanoTime();
  private long lastCheckNanos = System.nanoTime();
  private boolean ending;
  private boolean ended;

  /**
   * @param onEnd is run once, when the subscription is over; perhaps under the stream's lock
   */
  EventSubscription(
      StreamSubscriber streamSubscriber,
      Set<SnapshotSection> sections,
      EventBounds bounds,
      Runnable onEnd) {
    this.streamSubscriber = streamSubscriber;
    this.sections = Set.copyOf(sections);
    this.bounds = bounds;
    this.onEnd = onEnd;
  }

  String name() {
    return streamSubscriber.name();
  }

  Set<SnapshotSection> sections() {
    return sections;
  }

  void begin(StreamingBody.Way connection) {
    synchronized (this) {
      this.connection = connection;
    }
    sendPending();
  }

  void enqueue(ServerSentEvent event) {
    if (sections.contains(event.section())) {
      enqueue(event.text());
    }
  }

  /**
   * Sends the initial text of a client, of any length. The text does not count towards the bound.
   */
  void enqueueFirst(byte[] text) {
    synchronized (this) {
      if (!ending) {
        pending.add(text);
      }
    }
    sendPending();
  }

  /** Sends a text, or keeps it until it can be sent; ends the subscription if too much waits. */
  void enqueue(byte[] text) {
    synchronized (this) {
      if (ending) {
        return;
      }
      if (pendingBytes + text.length > bounds.maxWaitingBytes()) {
        enqueueEnd("too-slow");
      } else {
        pending.add(text);
        pendingBytes += text.length;
      }
    }
    sendPending();
  }

  /** Ends the subscription, and sends the reason. */
  void end(String reason) {
    synchronized (this) {
      if (!ending) {
        enqueueEnd(reason);
      }
    }
    sendPending();
  }

  /**
   * Drops the waiting texts, which the client receives after it reconnects. Called under this
   * object's lock.
   */
  private void enqueueEnd(String reason) {
    pending.clear();
    pending.add(ServerSentEvent.formatEvent("end", Map.of("reason", reason)));
    ending = true;
  }

  /**
   * Checks the client's permission again. Without it, ends the subscription with the reason; a
   * client that reconnects gets the refusal.
   */
  private void recheckPermission() {
    CompletionStage<Boolean> permission;
    try {
      permission = streamSubscriber.permissionCheck().get();
    } catch (RuntimeException refused) {
      permission = CompletableFuture.failedFuture(refused);
    }
    permission.whenComplete(
        (isPermitted, failure) -> {
          if (failure != null || !isPermitted) {
            end("unauthorized");
          }
        });
  }

  /**
   * Sends a heartbeat to an idle client, disconnects a client that reads nothing, and starts the
   * check of the client's permission.
   *
   * @param ageMillis the age of the last snapshot
   */
  void checkProgress(long now, long ageMillis) {
    boolean isStalled;
    boolean isQuiet;
    boolean isCheckDue;
    synchronized (this) {
      isCheckDue = !ending && now - lastCheckNanos > bounds.heartbeat().toNanos();
      if (isCheckDue) {
        lastCheckNanos = now;
      }
      isStalled = sending && now - sendStartNanos > bounds.stallTimeout().toNanos();
      isQuiet = !sending && pending.isEmpty() && now - lastSentNanos > bounds.heartbeat().toNanos();
    }
    if (isStalled) {
      disconnect();
    } else if (isQuiet) {
      enqueue(ServerSentEvent.formatHeartbeat(ageMillis));
    }
    if (isCheckDue) {
      recheckPermission();
    }
  }

  private void disconnect() {
    StreamingBody.Way current;
    synchronized (this) {
      current = connection;
      ending = true;
      pending.clear();
    }
    if (current != null) {
      current.cut();
    }
    finish();
  }

  /** Sends all waiting texts together, so that at most one send is in progress. */
  private void sendPending() {
    byte[] next;
    StreamingBody.Way current;
    synchronized (this) {
      current = connection;
      if (current == null || sending || ended) {
        return;
      }
      next = takePending();
      if (next.length == 0 && !ending) {
        return;
      }
      if (next.length > 0) {
        sending = true;
        sendStartNanos = System.nanoTime();
      }
    }
    if (next.length == 0) {
      current.end();
      finish();
      return;
    }
    current.send(next).whenComplete((ignored, failure) -> finishSend(failure));
  }

  private void finishSend(@Nullable Throwable failure) {
    synchronized (this) {
      sending = false;
      lastSentNanos = System.nanoTime();
    }
    if (failure == null) {
      sendPending();
    } else {
      finish();
    }
  }

  private byte[] takePending() {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] text : pending) {
      joined.writeBytes(text);
    }
    pending.clear();
    pendingBytes = 0;
    return joined.toByteArray();
  }

  private void finish() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      ending = true;
      pending.clear();
    }
    onEnd.run();
  }
}
