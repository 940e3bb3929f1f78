package io.ensemble.cli.doctor;

import io.ensemble.check.doctor.Finding;
import io.ensemble.cli.output.CommandErrors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs checks concurrently, each within the same time. A check that has not ended by then becomes a
 * finding; its thread, which may be stuck in the system, no longer counts, and does not keep the
 * program from ending. Thread-safe.
 */
final class BoundedChecks implements AutoCloseable {

  private static final int MOST_THREADS = 128;
  private static final long BETWEEN_MILLIS = 500;

  private final Duration longest;
  private final ThreadPoolExecutor threads;

  BoundedChecks(Duration longest) {
    this.longest = longest;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "doctor-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Starts a check.
   *
   * @param failed the findings when the check fails or does not end; takes the reason
   * @return completes within the longest time; fails only if {@code failed} does
   */
  <T> CompletableFuture<T> start(Callable<T> check, Function<String, T> failed) {
    CompletableFuture<T> result = new CompletableFuture<>();
    threads.execute(
        () -> {
          try {
            result.complete(check.call());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    return result
        .orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(failure -> failed.apply(reason(failure)));
  }

  /** As the other method, for a check whose failure is an error of its subject. */
  CompletableFuture<List<Finding>> start(
      String check, String subject, String remedy, Callable<List<Finding>> work) {
    return start(work, why -> List.of(Finding.error(check, subject, why, remedy)));
  }

  /**
   * As the other method, for a check that takes {@code least} also when all is well. If checks have
   * less time, and it does not end, nothing is known.
   */
  CompletableFuture<List<Finding>> startWatch(
      String check, String subject, String remedy, Duration least, Callable<List<Finding>> work) {
    return start(
        work,
        why ->
            List.of(
                longest.compareTo(least) < 0 && why.equals(late())
                    ? Finding.notChecked(
                        check,
                        subject,
                        why,
                        "give --timeout %ds or more".formatted(least.toSeconds()))
                    : Finding.error(check, subject, why, remedy)));
  }

  /**
   * Repeats {@code attempt} each half second until it says that it is done, or {@code longest} is
   * over. Blocks.
   */
  static void watch(Supplier<Boolean> attempt, Duration longest) {
    long end = System.nanoTime() + longest.toNanos();
    while (!attempt.get() && System.nanoTime() < end) {
      new CompletableFuture<Boolean>()
          .completeOnTimeout(true, BETWEEN_MILLIS, TimeUnit.MILLISECONDS)
          .join();
    }
  }

  /**
   * Closes a resource on a thread of its own, and waits at most {@code longest}. A resource that
   * does not close does not keep the program from ending. A failure is dropped.
   */
  static void close(AutoCloseable resource, Duration longest) {
    Thread closing =
        new Thread(
            () -> {
              try {
                resource.close();
              } catch (Exception dropped) {
                // The checks have ended, and nothing depends on the resource.
              }
            },
            "doctor-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(longest.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String reason(Throwable failure) {
    Throwable bare =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return bare instanceof TimeoutException && bare.getMessage() == null
        ? late()
        : CommandErrors.line(bare);
  }

  private String late() {
    return "no result within %d s".formatted(longest.toSeconds());
  }

  /** Interrupts the checks that still run. Does not wait. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
