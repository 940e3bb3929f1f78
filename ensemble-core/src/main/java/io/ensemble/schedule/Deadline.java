package io.ensemble.schedule;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one absolute point by which a user's call ends, handed down to everything done for it.
 *
 * @param atNanos on the scheduler's monotonic clock
 * @param witness hears of the requests to sites that are made for the call; null if nobody does
 */
public record Deadline(long atNanos, @Nullable RequestListener witness) {

  /** Of something that nobody watches. */
  public Deadline(long atNanos) {
    this(atNanos, null);
  }

  /** {@code timeout} from now, of what the calling thread asks for. */
  public static Deadline after(Duration timeout, Scheduler scheduler) {
    return new Deadline(scheduler.nanos() + timeout.toNanos(), RequestListener.current());
  }

  /** Another point, of the same call. */
  public Deadline at(long nanos) {
    return new Deadline(nanos, witness);
  }

  /** What {@code sent} makes, a request of this call, as its witness is told. */
  public <T> CompletionStage<T> asking(
      String site,
      String cache,
      String request,
      boolean writes,
      Supplier<CompletionStage<T>> sent) {
    return RequestListener.asking(witness, site, cache, request, writes, sent);
  }

  /** What is left, in nanoseconds; zero or less when it has passed. */
  public long remainingNanos(Scheduler scheduler) {
    return atNanos - scheduler.nanos();
  }

  /** Whether it has passed. */
  public boolean hasPassed(Scheduler scheduler) {
    return remainingNanos(scheduler) <= 0;
  }
}
