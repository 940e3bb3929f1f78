package io.ensemble.schedule;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one absolute time by which a user's call ends, passed to every operation within the call.
 *
 * @param atNanos on the scheduler's monotonic clock
 * @param witness the listener for the requests to sites that are made for the call; null for none
 */
public record Deadline(long atNanos, @Nullable RequestListener witness) {

  /** A deadline without a listener. */
  public Deadline(long atNanos) {
    this(atNanos, null);
  }

  /** {@code timeout} from now, for a call of the calling thread. */
  public static Deadline after(Duration timeout, Scheduler scheduler) {
    return new Deadline(scheduler.nanos() + timeout.toNanos(), RequestListener.current());
  }

  /** The same call with another deadline. */
  public Deadline at(long nanos) {
    return new Deadline(nanos, witness);
  }

  /** The same call, whose requests are reported to {@code listener} too. */
  public Deadline reportingTo(RequestListener listener) {
    return new Deadline(
        atNanos, witness == null ? listener : RequestListener.all(List.of(witness, listener)));
  }

  /**
   * Returns the result of {@code sent}, a request of this call, and notifies the call's listener.
   */
  public <T> CompletionStage<T> asking(
      String site,
      String cache,
      String request,
      boolean writes,
      Supplier<CompletionStage<T>> sent) {
    return RequestListener.asking(witness, site, cache, request, writes, sent);
  }

  /** The remaining time, in nanoseconds; zero or less when the deadline has passed. */
  public long remainingNanos(Scheduler scheduler) {
    return atNanos - scheduler.nanos();
  }

  /** Whether the deadline has passed. */
  public boolean hasPassed(Scheduler scheduler) {
    return remainingNanos(scheduler) <= 0;
  }
}
