package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings what the client answers, on whatever thread, to the scheduler, in our own terms. Where the
 * scheduler has ended, answers come on the client's thread: nobody is left waiting.
 */
record Replies(String site, Scheduler scheduler) {

  /** Makes {@code call}; its answer, which may be null, goes through {@code read}. */
  <A, B> CompletionStage<B> to(
      String what, Supplier<? extends CompletionStage<A>> call, Function<A, B> read) {
    CompletableFuture<B> reply = new CompletableFuture<>();
    try {
      call.get().whenComplete((answer, failure) -> hop(what, reply, answer, failure, read));
    } catch (RuntimeException failure) {
      reply.completeExceptionally(Failures.toSiteException(site, what, failure));
    }
    return reply;
  }

  /** Runs {@code command}, which blocks, on {@code commands}. */
  <T> CompletionStage<T> command(String what, Executor commands, Supplier<T> command) {
    return to(what, () -> CompletableFuture.supplyAsync(command, commands), Function.identity());
  }

  private <A, B> void hop(
      String what,
      CompletableFuture<B> reply,
      A answer,
      @Nullable Throwable failure,
      Function<A, B> read) {
    Runnable complete = () -> complete(what, reply, answer, failure, read);
    try {
      scheduler.execute(complete);
    } catch (RejectedExecutionException ended) {
      complete.run();
    }
  }

  private <A, B> void complete(
      String what,
      CompletableFuture<B> reply,
      A answer,
      @Nullable Throwable failure,
      Function<A, B> read) {
    Throwable failed = failure;
    if (failed == null) {
      try {
        reply.complete(read.apply(answer));
        return;
      } catch (RuntimeException | Error unreadable) {
        failed = unreadable;
      }
    }
    reply.completeExceptionally(Failures.toSiteException(site, what, failed));
  }
}
