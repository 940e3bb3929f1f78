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

  private final Set<SnapshotSection> wanted;
  private final EventBounds bounds;
  private final Runnable gone;
  private final StreamSubscriber streamSubscriber;

  // All fields below are guarded by this object's lock.
  private final Deque<byte[]> waiting = new ArrayDeque<>();
  private StreamingBody.@Nullable Way way;
  private long bytes;
  private boolean sending;
  private long sendingSince;
  private long sentAt = System.nanoTime();
  private long askedAt = System.nanoTime();
  private boolean ending;
  private boolean over;

  /**
   * @param gone is run once, when the subscription is over; perhaps under the stream's lock
   */
  EventSubscription(
      StreamSubscriber streamSubscriber,
      Set<SnapshotSection> wanted,
      EventBounds bounds,
      Runnable gone) {
    this.streamSubscriber = streamSubscriber;
    this.wanted = Set.copyOf(wanted);
    this.bounds = bounds;
    this.gone = gone;
  }

  String name() {
    return streamSubscriber.name();
  }

  Set<SnapshotSection> wanted() {
    return wanted;
  }

  void begin(StreamingBody.Way to) {
    synchronized (this) {
      way = to;
    }
    pump();
  }

  void tell(ServerSentEvent event) {
    if (wanted.contains(event.section())) {
      tell(event.text());
    }
  }

  /**
   * Sends the initial text of a client, of any length. The text does not count towards the bound.
   */
  void first(byte[] text) {
    synchronized (this) {
      if (!ending) {
        waiting.add(text);
      }
    }
    pump();
  }

  /** Sends a text, or keeps it until it can be sent; ends the subscription if too much waits. */
  void tell(byte[] text) {
    synchronized (this) {
      if (ending) {
        return;
      }
      if (bytes + text.length > bounds.waitingBytes()) {
        last("too-slow");
      } else {
        waiting.add(text);
        bytes += text.length;
      }
    }
    pump();
  }

  /** Ends the subscription, and sends the reason. */
  void end(String reason) {
    synchronized (this) {
      if (!ending) {
        last(reason);
      }
    }
    pump();
  }

  /**
   * Drops the waiting texts, which the client receives after it reconnects. Called under this
   * object's lock.
   */
  private void last(String reason) {
    waiting.clear();
    waiting.add(ServerSentEvent.named("end", Map.of("reason", reason)));
    ending = true;
  }

  /**
   * Checks the client's permission again. Without it, ends the subscription with the reason; a
   * client that reconnects gets the refusal.
   */
  private void askAgain() {
    CompletionStage<Boolean> still;
    try {
      still = streamSubscriber.mayStill().get();
    } catch (RuntimeException refused) {
      still = CompletableFuture.failedFuture(refused);
    }
    still.whenComplete(
        (may, failure) -> {
          if (failure != null || !may) {
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
  void beat(long now, long ageMillis) {
    boolean isStalled;
    boolean isQuiet;
    boolean isToBeAsked;
    synchronized (this) {
      isToBeAsked = !ending && now - askedAt > bounds.beat().toNanos();
      if (isToBeAsked) {
        askedAt = now;
      }
      isStalled = sending && now - sendingSince > bounds.stall().toNanos();
      isQuiet = !sending && waiting.isEmpty() && now - sentAt > bounds.beat().toNanos();
    }
    if (isStalled) {
      cut();
    } else if (isQuiet) {
      tell(ServerSentEvent.beat(ageMillis));
    }
    if (isToBeAsked) {
      askAgain();
    }
  }

  private void cut() {
    StreamingBody.Way to;
    synchronized (this) {
      to = way;
      ending = true;
      waiting.clear();
    }
    if (to != null) {
      to.cut();
    }
    finish();
  }

  /** Sends all waiting texts together, so that at most one send is in progress. */
  private void pump() {
    byte[] next;
    StreamingBody.Way to;
    synchronized (this) {
      to = way;
      if (to == null || sending || over) {
        return;
      }
      next = joined();
      if (next.length == 0 && !ending) {
        return;
      }
      if (next.length > 0) {
        sending = true;
        sendingSince = System.nanoTime();
      }
    }
    if (next.length == 0) {
      to.end();
      finish();
      return;
    }
    to.send(next).whenComplete((sent, failure) -> sent(failure));
  }

  private void sent(@Nullable Throwable failure) {
    synchronized (this) {
      sending = false;
      sentAt = System.nanoTime();
    }
    if (failure == null) {
      pump();
    } else {
      finish();
    }
  }

  private byte[] joined() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] one : waiting) {
      all.writeBytes(one);
    }
    waiting.clear();
    bytes = 0;
    return all.toByteArray();
  }

  private void finish() {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      ending = true;
      waiting.clear();
    }
    gone.run();
  }
}
