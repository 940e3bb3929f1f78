package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The responses of the client, converted to types of Ensemble, on the client's own thread; the
 * bounded site moves them to another thread.
 */
record HotRodResponses(String site) {

  /** Makes {@code call} and converts its response, which may be null, by {@code read}. */
  <A, B> CompletionStage<B> to(
      String what, Supplier<? extends CompletionStage<A>> call, Function<A, B> read) {
    CompletableFuture<B> reply = new CompletableFuture<>();
    try {
      call.get().whenComplete((answer, failure) -> complete(what, reply, answer, failure, read));
    } catch (RuntimeException failure) {
      reply.completeExceptionally(HotRodExceptionMapper.toSiteException(site, what, failure));
    }
    return reply;
  }

  /** Runs {@code command}, which blocks, on {@code commands}. */
  <T> CompletionStage<T> command(String what, Executor commands, Supplier<T> command) {
    CompletableFuture<T> reply = new CompletableFuture<>();
    try {
      CompletableFuture.supplyAsync(command, commands)
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  reply.complete(answer);
                } else {
                  reply.completeExceptionally(HotRodExceptionMapper.ofCommand(site, what, failure));
                }
              });
    } catch (RejectedExecutionException full) {
      reply.completeExceptionally(
          SiteException.notSent(
              site, Reason.BUSY, "not sent, too many commands are in progress; " + what, full));
    }
    return reply;
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
    reply.completeExceptionally(HotRodExceptionMapper.toSiteException(site, what, failed));
  }
}
