package io.ensemble.benchmarks.store;

import io.ensemble.cache.BlockingCall;
import io.ensemble.site.SiteException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Repeats an attempt to connect to a federation until it succeeds or a deadline has passed. Only an
 * attempt that ended without an answer is repeated. A refused connection, a refused password or a
 * wrong setting ends the attempts immediately.
 */
final class ConnectionAttempts {

  private static final Duration PAUSE = Duration.ofMillis(200);

  private final Duration deadline;
  private final LongSupplier nanos;
  private final Runnable pause;

  /**
   * @param deadline the time after the first attempt within which another may begin
   */
  ConnectionAttempts(Duration deadline) {
    this(deadline, System::nanoTime, () -> BlockingCall.poll(() -> null, PAUSE));
  }

  ConnectionAttempts(Duration deadline, LongSupplier nanos, Runnable pause) {
    this.deadline = deadline;
    this.nanos = nanos;
    this.pause = pause;
  }

  /**
   * Makes at least one attempt.
   *
   * @param attempt connects; leaves no connection open when it fails
   * @throws RuntimeException the failure of the last attempt
   */
  <T> T connect(Supplier<T> attempt) {
    long start = nanos.getAsLong();
    while (true) {
      try {
        return attempt.get();
      } catch (RuntimeException failure) {
        if (!isUnanswered(failure)) {
          throw failure;
        }
        pause.run();
        if (nanos.getAsLong() - start >= deadline.toNanos()) {
          throw failure;
        }
      }
    }
  }

  /** Whether a site did not answer, possibly because of a busy machine or network. */
  private static boolean isUnanswered(RuntimeException failure) {
    boolean unanswered = false;
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SiteException known) {
        unanswered = isNoAnswer(known.reason());
      }
      if (isRefused(cause)) {
        return false;
      }
    }
    return unanswered;
  }

  private static boolean isNoAnswer(SiteException.Reason reason) {
    return reason == SiteException.Reason.UNREACHABLE || reason == SiteException.Reason.TIMED_OUT;
  }

  /** Netty's exceptions for a connection that timed out are of this class too. */
  private static boolean isRefused(Throwable cause) {
    return cause instanceof ConnectException
        && String.valueOf(cause.getMessage()).contains("refused");
  }
}
