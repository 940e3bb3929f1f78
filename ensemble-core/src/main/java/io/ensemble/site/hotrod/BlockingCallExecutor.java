package io.ensemble.site.hotrod;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs blocking calls of the client, on a few threads of its own that end when they are idle. Up to
 * 64 commands may wait, further ones fail with {@link Reason#BUSY}. Thread-safe.
 */
final class BlockingCallExecutor {

  private static final int WAITING = 64;
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final HotRodResponses hotRodResponses;
  private final Scheduler scheduler;
  private final ThreadPoolExecutor threads;
  private final AtomicBoolean closing = new AtomicBoolean();

  BlockingCallExecutor(
      String name, int atOnce, HotRodResponses hotRodResponses, Scheduler scheduler) {
    this.hotRodResponses = hotRodResponses;
    this.scheduler = scheduler;
    this.threads =
        new ThreadPoolExecutor(
            atOnce,
            atOnce,
            10,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs a command that ends by itself. */
  <T> CompletionStage<T> run(String what, Supplier<T> command) {
    return hotRodResponses.command(what, threads, command);
  }

  /** Runs a command that is interrupted some time after the deadline. */
  <T> CompletionStage<T> run(String what, Deadline deadline, Supplier<T> command) {
    return run(what, within(deadline, command));
  }

  /** Limits the time of a command, whatever the client does: there are few threads for commands. */
  private <T> Supplier<T> within(Deadline deadline, Supplier<T> command) {
    return () -> {
      Duration longest = Duration.ofNanos(Math.max(0, deadline.remainingNanos(scheduler)));
      AtomicReference<@Nullable T> answer = new AtomicReference<>();
      if (InterruptTimer.strikes(() -> answer.set(command.get()), longest.plus(GRACE), scheduler)) {
        throw new SiteException(
            hotRodResponses.site(),
            Reason.TIMED_OUT,
            "abandoned, the client did not complete the call");
      }
      return Objects.requireNonNull(answer.get());
    };
  }

  /**
   * Runs a command without a waiting caller.
   *
   * @return false if too many commands wait
   */
  boolean begin(Runnable command) {
    try {
      threads.execute(command);
      return true;
    } catch (RejectedExecutionException busy) {
      return false;
    }
  }

  /** Returns immediately; {@code last} runs when the present command has ended, if there is one. */
  void close(Runnable last) {
    if (closing.compareAndSet(false, true)) {
      threads.getQueue().clear();
      threads.execute(last);
      threads.shutdown();
    }
  }
}
