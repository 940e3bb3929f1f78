package io.ensemble.simulation;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One request of one client to one site, from its call to its response or its deadline. */
final class SimCall<T extends @Nullable Object> {

  private final long id;
  private final SimScheduler client;
  private final SimSiteServer site;
  private final String what;
  private final Function<SimSiteServer, RequestResult<T>> action;
  private final CompletableFuture<T> promise = new CompletableFuture<>();
  private @Nullable Timer deadlineTimer;
  private Runnable whenOver = () -> {};

  SimCall(
      long id,
      SimScheduler client,
      SimSiteServer site,
      String what,
      Function<SimSiteServer, RequestResult<T>> action) {
    this.id = id;
    this.client = client;
    this.site = site;
    this.what = what;
    this.action = action;
  }

  long id() {
    return id;
  }

  SimScheduler client() {
    return client;
  }

  SimSiteServer site() {
    return site;
  }

  String what() {
    return what;
  }

  boolean isOver() {
    return promise.isDone();
  }

  RequestResult<T> perform() {
    return action.apply(site);
  }

  /** A dependent stage, so that the caller cannot complete the internal one. */
  CompletionStage<T> stage() {
    return promise.copy();
  }

  void startTimer(Deadline deadline, Runnable onTimeout) {
    deadlineTimer = client.after(Math.max(0, deadline.remainingNanos(client)), onTimeout);
  }

  /**
   * Runs {@code then} when there is a response or none will be accepted, before the caller receives
   * the result.
   */
  void whenOver(Runnable then) {
    whenOver = then;
  }

  void answer(@Nullable T answer) {
    finish();
    promise.complete(answer);
  }

  void fail(SiteException failure) {
    finish();
    promise.completeExceptionally(failure);
  }

  void fail(Reason reason, String detail) {
    fail(new SiteException(site.name(), reason, detail + "; request=" + what));
  }

  private void finish() {
    whenOver.run();
    if (deadlineTimer != null) {
      deadlineTimer.cancel();
    }
  }
}
