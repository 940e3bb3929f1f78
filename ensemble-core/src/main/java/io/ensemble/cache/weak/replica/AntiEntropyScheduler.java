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
  private @Nullable CompletableFuture<AntiEntropyReport> queuedRun;
  private @Nullable Timer requestedTimer;
  private @Nullable Timer regularTimer;
  private @Nullable Long earliestNanos;
  private volatile boolean closed;

  public AntiEntropyScheduler(WeakContext context) {
    this.context = context;
    siteFailureLog = new SiteFailureLog(LOG, "comparison", context.cache());
  }

  public void start(List<WeakSite> sites) {
    members = sites;
    startRegular();
  }

  public CompletionStage<AntiEntropyReport> run() {
    CompletableFuture<AntiEntropyReport> report;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(context.closed());
      }
      if (running != null) {
        queuedRun = queuedRun == null ? new CompletableFuture<>() : queuedRun;
        return queuedRun;
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
      if (closed || requestedTimer != null || !isWorthwhile()) {
        return;
      }
      Duration gap = context.options().comparison().gap();
      long delay = context.jittered(gap.dividedBy(4));
      if (earliestNanos != null) {
        delay = Math.max(delay, earliestNanos - context.scheduler().nanos());
      }
      requestedTimer = context.later(delay, this::runRequested);
    }
  }

  private synchronized void startRegular() {
    Duration interval = context.options().comparison().interval();
    if (!closed && !interval.isZero()) {
      regularTimer =
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
    List<CompletableFuture<AntiEntropyReport>> pendingReports = new ArrayList<>();
    synchronized (this) {
      closed = true;
      if (requestedTimer != null) {
        requestedTimer.cancel();
      }
      if (regularTimer != null) {
        regularTimer.cancel();
      }
      if (running != null) {
        pendingReports.add(running);
      }
      if (queuedRun != null) {
        pendingReports.add(queuedRun);
      }
    }
    pendingReports.forEach(report -> report.completeExceptionally(context.closed()));
  }

  private boolean isWorthwhile() {
    long usableSites = members.stream().filter(WeakSite::isUsable).count();
    return usableSites > 1 && members.stream().anyMatch(WeakSite::needsComparison);
  }

  private void runRequested() {
    boolean mustRun;
    synchronized (this) {
      requestedTimer = null;
      mustRun = !closed && running == null && isWorthwhile();
    }
    if (mustRun) {
      run();
    }
  }

  private void start(CompletableFuture<AntiEntropyReport> report) {
    long beganNanos = context.scheduler().nanos();
    new AntiEntropyRun(context, members, () -> closed)
        .run()
        .whenComplete(
            (done, failure) -> {
              CompletableFuture<AntiEntropyReport> next = endRun(beganNanos);
              if (failure == null) {
                recordReport(done);
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

  private void recordReport(AntiEntropyReport done) {
    context.metrics().compared(done);
    siteFailureLog.succeeded("*");
    for (WeakSite weakSite : members) {
      String reason = done.unreachable().get(weakSite.name());
      if (reason == null) {
        siteFailureLog.succeeded(weakSite.name());
      } else {
        siteFailureLog.failed(weakSite.name(), reason);
      }
    }
  }

  /** The sites that the last comparison missed. */
  public Set<String> failing() {
    return siteFailureLog.failing();
  }

  /** Automatic comparisons take a fifth of the time at most. */
  private synchronized @Nullable CompletableFuture<AntiEntropyReport> endRun(long sinceNanos) {
    long now = context.scheduler().nanos();
    long gapNanos =
        Math.max(context.options().comparison().gap().toNanos(), 4 * (now - sinceNanos));
    earliestNanos = now + gapNanos;
    running = queuedRun;
    queuedRun = null;
    return running;
  }
}
