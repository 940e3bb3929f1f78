package io.ensemble.cache.weak;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One site as the engine deals with it: its store, whether it seems to be down, and whether it is
 * dirty, that is, may lack writes that nobody is going to send. A site that is down is asked last,
 * gets no copies, and is probed until it answers.
 */
final class Member {

  /** Failures in a row after which a slow site counts as down. */
  private static final int FAILURES_UNTIL_DOWN = 3;

  /** A request that had less time than this says nothing about the site. */
  private static final long FAIR_CHANCE_NANOS = Duration.ofMillis(200).toNanos();

  private static final Duration FIRST_PROBE = Duration.ofMillis(200);
  private static final Duration LAST_PROBE = Duration.ofSeconds(10);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
  private static final Bytes PROBE_KEY = Bytes.of(new byte[] {0});

  private final Replica replica;
  private final Context context;
  private final Reconciler reconciler;
  private final Copier copier;
  private final AtomicBoolean down = new AtomicBoolean();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicLong marks = new AtomicLong();
  private volatile long marksCleaned;
  private volatile long marksTried;
  private volatile long comparedMicros;
  private volatile boolean doubted;
  private volatile long doubtNanos;
  private volatile @Nullable SiteStore known;
  private volatile @Nullable SiteStore filling;
  private volatile @Nullable Timer probe;
  private volatile boolean closed;

  /**
   * @param reconciler told when a comparison may have become needed or possible
   * @param engine where entries go that were swapped out and could not be put back
   */
  Member(Replica replica, Context context, Reconciler reconciler, Spread engine) {
    this.replica = replica;
    this.context = context;
    this.reconciler = reconciler;
    this.copier = new Copier(this, context, engine);
  }

  String name() {
    return replica.site();
  }

  Copier copier() {
    return copier;
  }

  /** The store to read and write; another than before means that the site lost its memory. */
  Optional<SiteStore> store() {
    Optional<SiteStore> store = replica.store();
    if (store.isPresent() && store.get() != known) {
      boolean another = known != null;
      known = store.get();
      filling = null;
      if (another) {
        markDirty();
      }
    }
    return store;
  }

  void fill(@Nullable SiteStore fresh) {
    filling = fresh;
    if (fresh != null) {
      succeeded();
    }
  }

  boolean isFilling() {
    return filling != null;
  }

  /** The store that was being filled is given up: the site is as it was before. */
  void stopFilling(SiteStore fresh) {
    if (filling == fresh) {
      filling = null;
    }
  }

  /** One request to the site, whose store is opened first if need be. */
  <T> CompletionStage<T> call(
      WeakMetrics.Kind kind, Deadline deadline, Function<SiteStore, CompletionStage<T>> request) {
    Optional<SiteStore> open = store();
    if (open.isPresent()) {
      return send(kind, open.get(), request);
    }
    SiteStore fresh = filling;
    if (fresh == null) {
      return open(deadline).thenCompose(store -> send(kind, store, request));
    }
    // Callers are not let in before it is full; copies are.
    return kind == WeakMetrics.Kind.COPY
        ? send(kind, fresh, request)
        : CompletableFuture.failedFuture(notSent(new IllegalStateException("being filled")));
  }

  /** The store, opened if need be; fails with {@link NotSent}. */
  CompletionStage<SiteStore> open(Deadline deadline) {
    Optional<SiteStore> known = store();
    if (known.isPresent()) {
      return CompletableFuture.completedFuture(known.get());
    }
    long from = context.scheduler().nanos();
    CompletableFuture<SiteStore> opened = new CompletableFuture<>();
    Async.guarded(() -> replica.open(deadline))
        .whenComplete(
            (store, failure) -> {
              if (failure == null) {
                opened.complete(store().orElse(store));
              } else {
                NotSent why = notSent(Async.unwrap(failure));
                if (filling == null) {
                  failed(why.why(), context.scheduler().nanos() - from);
                }
                opened.completeExceptionally(why);
              }
            });
    return opened;
  }

  private NotSent notSent(Throwable failure) {
    return new NotSent(
        failure instanceof SiteException site
            ? site
            : new SiteException(name(), Reason.STORE_LOST, "the site has no store", failure));
  }

  private <T> CompletionStage<T> send(
      WeakMetrics.Kind kind, SiteStore target, Function<SiteStore, CompletionStage<T>> request) {
    long from = context.scheduler().nanos();
    return Async.guarded(() -> request.apply(target))
        .whenComplete(
            (result, failure) -> {
              long nanos = context.scheduler().nanos() - from;
              context.metrics().answered(name(), kind, nanos, failure == null);
              if (failure == null) {
                succeeded();
              } else {
                failed(Async.unwrap(failure), nanos);
              }
            });
  }

  boolean isDown() {
    return down.get();
  }

  /** Whether callers should be sent here before others. */
  boolean isUsable() {
    return !down.get() && filling == null;
  }

  boolean isDirty() {
    return marks.get() != marksCleaned;
  }

  void markDirty() {
    marks.incrementAndGet();
    if (isUsable()) {
      reconciler.onNeed();
    }
  }

  /**
   * A request got no answer: it may have taken the place of something newer, or may still arrive
   * and do so. What is compared before it must have arrived does not count.
   */
  void markDoubtful() {
    doubtNanos = context.scheduler().nanos();
    doubted = true;
    markDirty();
  }

  private boolean isBeyondDoubt(long atNanos) {
    return !doubted || atNanos - doubtNanos >= context.options().copies().timeout().toNanos();
  }

  /** Dirty, within reach, and not compared with all who can be reached since. */
  boolean needsComparison() {
    return isDirty() && isUsable() && marks.get() != marksTried;
  }

  /** Compared with all who could be reached, from {@code sinceNanos} on. */
  void tried(long upToMarks, long sinceNanos) {
    if (isBeyondDoubt(sinceNanos)) {
      marksTried = upToMarks;
    }
  }

  /** Forgets that comparing was tried. */
  void retry() {
    marksTried = -1;
  }

  /** A point in the site's history of dirt, to {@link #compared} it up to. */
  long marks() {
    return marks.get();
  }

  /** All sites were compared, from {@code sinceNanos} on, and are equal up to {@code upToMarks}. */
  void compared(long upToMarks, long sinceNanos) {
    comparedMicros = context.stamps().nowMicros();
    if (isBeyondDoubt(sinceNanos)) {
      marksCleaned = upToMarks;
      marksTried = upToMarks;
    }
  }

  SiteLag lag() {
    return copier.lag(name(), isDirty(), isDown(), comparedMicros);
  }

  void close() {
    closed = true;
    Timer timer = probe;
    if (timer != null) {
      timer.cancel();
    }
    copier.close();
  }

  private void succeeded() {
    if (failures.get() != 0) {
      failures.set(0);
    }
    if (down.get() && down.compareAndSet(true, false)) {
      context.metrics().siteChanged(name(), true);
      reconciler.onReturn();
    }
  }

  private void failed(Throwable failure, long nanos) {
    if (meansDown(failure, nanos) && !closed && down.compareAndSet(false, true)) {
      context.metrics().siteChanged(name(), false);
      copier.abandon();
      probeAfter(FIRST_PROBE);
    }
  }

  private boolean meansDown(Throwable failure, long nanos) {
    Reason reason = failure instanceof SiteException site ? site.reason() : Reason.FAILED;
    return switch (reason) {
      case BUSY -> false;
      case UNREACHABLE, STORE_LOST, NOT_ALLOWED, UNSUITABLE -> true;
      case TIMED_OUT, FAILED ->
          (reason == Reason.FAILED || nanos >= FAIR_CHANCE_NANOS)
              && failures.incrementAndGet() >= FAILURES_UNTIL_DOWN;
    };
  }

  private void probeAfter(Duration delay) {
    if (!closed) {
      probe = context.scheduler().after(context.jittered(delay), () -> probe(delay));
    }
  }

  private void probe(Duration delay) {
    Duration doubled = delay.multipliedBy(2);
    Duration next = doubled.compareTo(LAST_PROBE) > 0 ? LAST_PROBE : doubled;
    if (closed || !isDown()) {
      return;
    }
    Deadline deadline = context.in(PROBE_TIMEOUT);
    Async.guarded(() -> copyTarget(deadline).thenCompose(store -> store.read(PROBE_KEY, deadline)))
        .whenComplete(
            (entry, failure) -> {
              if (failure == null) {
                succeeded();
              } else if (isDown()) {
                probeAfter(next);
              }
            });
  }

  private CompletionStage<SiteStore> copyTarget(Deadline deadline) {
    SiteStore target = store().orElse(filling);
    return target == null ? replica.open(deadline) : CompletableFuture.completedFuture(target);
  }
}
