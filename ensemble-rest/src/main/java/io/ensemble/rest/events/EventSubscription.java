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

/** A client that listens: what waits for it is bounded, and one that is too slow is cut off. */
final class EventSubscription {

  private final Set<SnapshotSection> wanted;
  private final EventBounds bounds;
  private final Runnable gone;
  private final StreamSubscriber streamSubscriber;

  // All below belongs to this object's lock.
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
   * @param gone told once, when it is over; perhaps under the feed's lock
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

  /** What a client begins with: is sent however long it is, and does not count. */
  void first(byte[] text) {
    synchronized (this) {
      if (!ending) {
        waiting.add(text);
      }
    }
    pump();
  }

  /** Sends, or keeps until that is possible, or gives the client up. */
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

  /** Tells the client that this is all, and why. */
  void end(String reason) {
    synchronized (this) {
      if (!ending) {
        last(reason);
      }
    }
    pump();
  }

  /** Under this object's lock. What waits is dropped: the client comes back to it. */
  private void last(String reason) {
    waiting.clear();
    waiting.add(ServerSentEvent.named("end", Map.of("reason", reason)));
    ending = true;
  }

  /** Ends a client that may listen no more: it comes back, and is told why. */
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
   * Lets a client that hears nothing hear that, cuts one off that takes nothing, and asks whether
   * it may still listen.
   *
   * @param ageMillis how old is what was seen last
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

  /** All that waits goes out as one, so that one send is under way and no more. */
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
