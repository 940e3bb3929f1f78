package io.ensemble.cache.weak.replica;

import io.ensemble.cache.SiteFailureLog;
import io.ensemble.schedule.Scheduler.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when sites are compared: on demand, periodically, and soon after a reachable site has
 * become dirty, with a pause between. Comparisons do not overlap. A request during a comparison
 * gets the next one, which sees everything written before the request.
 */
public final class AntiEntropyScheduler {

  private static final Logger LOG = LoggerFactory.getLogger(AntiEntropyScheduler.class);

  private final WeakContext context;
  private final SiteFailureLog siteFailureLog;
  private volatile List<WeakSite> members = List.of();

  // The fields below are guarded by this.
  private @Nullable CompletableFuture<AntiEntropyReport> running;
  private @Nullable CompletableFuture<AntiEntropyReport> following;
  private @Nullable Timer soon;
  private @Nullable Timer regular;
  private @Nullable Long earliestNanos;
  private volatile boolean closed;

  public AntiEntropyScheduler(WeakContext context) {
    this.context = context;
    siteFailureLog = new SiteFailureLog(LOG, "comparison", context.cache());
  }

  public void start(List<WeakSite> all) {
    members = all;
    startRegular();
  }

  public CompletionStage<AntiEntropyReport> run() {
    CompletableFuture<AntiEntropyReport> report;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(context.closed());
      }
      if (running != null) {
        following = following == null ? new CompletableFuture<>() : following;
        return following;
      }
      report = new CompletableFuture<>();
      running = report;
    }
    start(report);
    return report;
  }

  /** Called when a site has come back: earlier comparisons without it can now be completed. */
  void onReturn() {
    members.forEach(WeakSite::retry);
    onNeed();
  }

  /** Called when a site may have become dirty. */
  void onNeed() {
    synchronized (this) {
      if (closed || soon != null || !isWorthwhile()) {
        return;
      }
      Duration gap = context.options().comparison().gap();
      long delay = context.jittered(gap.dividedBy(4));
      if (earliestNanos != null) {
        delay = Math.max(delay, earliestNanos - context.scheduler().nanos());
      }
      soon = context.later(delay, this::runSoon);
    }
  }

  private synchronized void startRegular() {
    Duration interval = context.options().comparison().interval();
    if (!closed && !interval.isZero()) {
      regular =
          context.later(
              context.jittered(interval),
              () -> {
                run();
                startRegular();
              });
    }
  }

  /** Ends timers, and fails the calls that wait for a comparison. */
  public void close() {
    List<CompletableFuture<AntiEntropyReport>> waiting = new ArrayList<>();
    synchronized (this) {
      closed = true;
      if (soon != null) {
        soon.cancel();
      }
      if (regular != null) {
        regular.cancel();
      }
      if (running != null) {
        waiting.add(running);
      }
      if (following != null) {
        waiting.add(following);
      }
    }
    waiting.forEach(one -> one.completeExceptionally(context.closed()));
  }

  private boolean isWorthwhile() {
    long up = members.stream().filter(WeakSite::isUsable).count();
    return up > 1 && members.stream().anyMatch(WeakSite::needsComparison);
  }

  private void runSoon() {
    boolean wanted;
    synchronized (this) {
      soon = null;
      wanted = !closed && running == null && isWorthwhile();
    }
    if (wanted) {
      run();
    }
  }

  private void start(CompletableFuture<AntiEntropyReport> report) {
    long since = context.scheduler().nanos();
    new AntiEntropyRun(context, members, () -> closed)
        .run()
        .whenComplete(
            (done, failure) -> {
              CompletableFuture<AntiEntropyReport> next = end(since);
              if (failure == null) {
                tell(done);
                report.complete(done);
              } else {
                if (!closed) {
                  siteFailureLog.failed("*", StageLoops.unwrap(failure));
                }
                report.completeExceptionally(StageLoops.unwrap(failure));
              }
              if (next != null) {
                start(next);
              } else {
                onNeed();
              }
            });
  }

  private void tell(AntiEntropyReport done) {
    context.metrics().compared(done);
    siteFailureLog.succeeded("*");
    for (WeakSite weakSite : members) {
      String why = done.unreachable().get(weakSite.name());
      if (why == null) {
        siteFailureLog.succeeded(weakSite.name());
      } else {
        siteFailureLog.failed(weakSite.name(), why);
      }
    }
  }

  /** The sites that the last comparison missed. */
  public Set<String> failing() {
    return siteFailureLog.failing();
  }

  /** Automatic comparisons take a fifth of the time at most. */
  private synchronized @Nullable CompletableFuture<AntiEntropyReport> end(long sinceNanos) {
    long now = context.scheduler().nanos();
    long rest = Math.max(context.options().comparison().gap().toNanos(), 4 * (now - sinceNanos));
    earliestNanos = now + rest;
    running = following;
    following = null;
    return running;
  }
}
