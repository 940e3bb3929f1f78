package io.ensemble.cache.weak.replica;

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
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One site as the engine uses it: its store, whether it seems to be down, and whether it is dirty.
 * A dirty site may lack writes that no copier will send. A site that is down is asked last, gets no
 * copies, and is probed until it answers.
 */
public final class WeakSite {

  private static final Logger LOG = LoggerFactory.getLogger(WeakSite.class);

  /** A request with less time than this shows nothing about the site. */
  private static final long FAIR_CHANCE_NANOS = Duration.ofMillis(200).toNanos();

  private static final Duration FIRST_PROBE = Duration.ofMillis(200);
  private static final Duration LAST_PROBE = Duration.ofSeconds(10);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
  private static final Bytes PROBE_KEY = Bytes.of(new byte[] {0});

  private final WeakReplica replica;
  private final WeakContext context;
  private final AntiEntropyScheduler antiEntropyScheduler;
  private final Copier copier;
  // The fields below are written with this object's lock held; the state is read without.
  private volatile SiteState state = SiteState.NEW;
  private @Nullable Timer probe;
  private boolean closed;

  /**
   * @param antiEntropyScheduler called when a comparison may have become necessary or possible
   * @param engine receives entries that were swapped out and could not be put back
   */
  public WeakSite(
      WeakReplica replica,
      WeakContext context,
      AntiEntropyScheduler antiEntropyScheduler,
      EntryBroadcaster engine) {
    this.replica = replica;
    this.context = context;
    this.antiEntropyScheduler = antiEntropyScheduler;
    this.copier = new Copier(this, context, engine);
  }

  public String name() {
    return replica.site();
  }

  public Copier copier() {
    return copier;
  }

  /** The store to read and write; another store than before means that the site lost its memory. */
  Optional<SiteStore> store() {
    Optional<SiteStore> store = replica.store();
    if (store.isPresent() && store.get() != state.knownStore()) {
      SiteState replaced = updateState(previous -> previous.withStore(store.get()));
      if (replaced.knownStore() != null && replaced.knownStore() != store.get()) {
        LOG.warn("site has a new store incarnation; site={} cache={}", name(), context.cache());
        requestComparison();
      }
    }
    return store;
  }

  public void fill(SiteStore newStore) {
    updateState(previous -> previous.filling(newStore));
    recordSuccess();
  }

  public boolean isFilling() {
    return state.filling() != null;
  }

  /** Abandons the store that was being filled: the site is as before. */
  public void stopFilling(SiteStore newStore) {
    updateState(previous -> previous.filling() == newStore ? previous.filling(null) : previous);
  }

  /** Sends a request to the site, whose store is opened first if necessary. */
  public <T> CompletionStage<T> call(
      WeakMetrics.Kind kind, Deadline deadline, Function<SiteStore, CompletionStage<T>> request) {
    Optional<SiteStore> openStore;
    try {
      openStore = store();
    } catch (RuntimeException | Error failure) {
      return CompletableFuture.failedFuture(notSent(failure));
    }
    if (openStore.isPresent()) {
      return send(kind, openStore.get(), request);
    }
    SiteStore newStore = state.filling();
    if (newStore == null) {
      return open(deadline).thenCompose(store -> send(kind, store, request));
    }
    // A store that is being filled accepts copies, but no callers.
    return kind == WeakMetrics.Kind.COPY
        ? send(kind, newStore, request)
        : CompletableFuture.failedFuture(notSent(new IllegalStateException("being refilled")));
  }

  /** The store, opened if necessary; fails with {@link RequestNotSentException}. */
  public CompletionStage<SiteStore> open(Deadline deadline) {
    Optional<SiteStore> knownStore = store();
    if (knownStore.isPresent()) {
      return CompletableFuture.completedFuture(knownStore.get());
    }
    long beganNanos = context.scheduler().nanos();
    CompletableFuture<SiteStore> opening = new CompletableFuture<>();
    StageLoops.guarded(() -> replica.open(deadline))
        .whenComplete(
            (store, failure) -> {
              if (failure == null) {
                opening.complete(store().orElse(store));
              } else {
                RequestNotSentException exception = notSent(StageLoops.unwrap(failure));
                if (!isFilling()) {
                  recordFailure(
                      exception.siteException(), context.scheduler().nanos() - beganNanos);
                }
                opening.completeExceptionally(exception);
              }
            });
    return opening;
  }

  private RequestNotSentException notSent(Throwable failure) {
    return new RequestNotSentException(
        failure instanceof SiteException siteException
            ? siteException
            : new SiteException(name(), Reason.STORE_LOST, "the site has no store", failure));
  }

  private <T> CompletionStage<T> send(
      WeakMetrics.Kind kind, SiteStore target, Function<SiteStore, CompletionStage<T>> request) {
    long beganNanos = context.scheduler().nanos();
    return StageLoops.guarded(() -> request.apply(target))
        .whenComplete(
            (result, failure) -> {
              long nanos = context.scheduler().nanos() - beganNanos;
              context.metrics().answered(name(), kind, nanos, failure == null);
              if (failure == null) {
                recordSuccess();
              } else {
                recordFailure(StageLoops.unwrap(failure), nanos);
              }
            });
  }

  boolean isDown() {
    return state.down();
  }

  /** Whether callers should prefer this site to others. */
  public boolean isUsable() {
    return state.isUsable();
  }

  boolean isDirty() {
    return state.repairBacklog().isDirty();
  }

  /** Whether requests have had no response lately. */
  boolean isInDoubt() {
    return state.repairBacklog().isInDoubt();
  }

  /** Records that {@code writes} writes were not copied. */
  void markDirty(int writes) {
    updateBacklog(backlog -> backlog.withMarks(writes));
    requestComparison();
  }

  /** Replaces the state by the next; returns the former state. */
  private synchronized SiteState updateState(UnaryOperator<SiteState> next) {
    SiteState previous = state;
    state = next.apply(previous);
    return previous;
  }

  private void updateBacklog(UnaryOperator<RepairBacklog> change) {
    updateState(previous -> previous.withBacklog(change.apply(previous.repairBacklog())));
  }

  private void requestComparison() {
    if (isUsable()) {
      antiEntropyScheduler.onNeed();
    }
  }

  /**
   * Records a request without a response. The request may have replaced a newer entry, or may still
   * arrive and do so. A comparison before the request must have arrived does not count.
   */
  public void markDoubtful() {
    long now = context.scheduler().nanos();
    updateBacklog(backlog -> backlog.withDoubt(now));
    requestComparison();
  }

  /** Whether the site is dirty, reachable, and not compared with all reachable sites since. */
  boolean needsComparison() {
    SiteState current = state;
    return current.isUsable()
        && current.repairBacklog().isDirty()
        && !current.repairBacklog().isTried();
  }

  /** Records a comparison with all reachable sites, from {@code sinceNanos} on. */
  void recordAttempt(long upToMarks, long sinceNanos) {
    updateBacklog(backlog -> backlog.withAttempt(upToMarks, sinceNanos, longestCopyNanos()));
  }

  private long longestCopyNanos() {
    return context.options().copies().timeout().toNanos();
  }

  /** Clears the record of attempts to compare. */
  void retry() {
    updateBacklog(RepairBacklog::withoutAttempt);
  }

  /** The present number of marks, as the argument of a later {@link #recordComparison}. */
  long marks() {
    return state.repairBacklog().marks();
  }

  /**
   * Records a comparison of all sites, from {@code sinceNanos} on, which are equal up to {@code
   * upToMarks}.
   */
  void recordComparison(long upToMarks, long sinceNanos) {
    long now = context.stamps().nowMicros();
    updateBacklog(
        backlog -> backlog.withComparison(upToMarks, sinceNanos, longestCopyNanos(), now));
  }

  public SiteLag lag() {
    return copier.lag(name(), state);
  }

  public void close() {
    synchronized (this) {
      closed = true;
      if (probe != null) {
        probe.cancel();
      }
    }
    copier.close();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Records a response. In the usual case the state does not change, and nothing is written. */
  private void recordSuccess() {
    SiteState previous = state;
    if (previous.failures() == 0 && !previous.down()) {
      return;
    }
    previous = updateState(SiteState::answered);
    if (previous.down()) {
      LOG.info("site is up again; site={} cache={}", name(), context.cache());
      context.metrics().siteChanged(name(), true);
      antiEntropyScheduler.onReturn();
    }
  }

  private void recordFailure(Throwable failure, long nanos) {
    Reason reason =
        failure instanceof SiteException siteException ? siteException.reason() : Reason.FAILED;
    if (!isCounted(reason, nanos) || isClosed()) {
      return;
    }
    recordLoss(reason);
    boolean isGone = reason != Reason.TIMED_OUT && reason != Reason.FAILED;
    SiteState previous = updateState(current -> current.failed(isGone));
    if (!previous.down() && previous.failed(isGone).down()) {
      LOG.warn("site is down; site={} cache={}", name(), context.cache(), failure);
      context.metrics().siteChanged(name(), false);
      copier.abandon();
      scheduleProbe(FIRST_PROBE);
    }
  }

  private void recordLoss(Reason reason) {
    if (reason == Reason.STORE_LOST && !state.repairBacklog().lostMemory()) {
      updateBacklog(backlog -> backlog.lostMemory() ? backlog : backlog.withLostMemory());
    }
  }

  private static boolean isCounted(Reason reason, long nanos) {
    return switch (reason) {
      case BUSY -> false;
      case TIMED_OUT -> nanos >= FAIR_CHANCE_NANOS;
      case UNREACHABLE, STORE_LOST, DELETED, DEGRADED, NOT_ALLOWED, UNSUITABLE, FAILED -> true;
    };
  }

  private synchronized void scheduleProbe(Duration delay) {
    if (!closed) {
      probe = context.later(context.jittered(delay), () -> probe(delay));
    }
  }

  private void probe(Duration delay) {
    Duration doubledDelay = delay.multipliedBy(2);
    Duration next = doubledDelay.compareTo(LAST_PROBE) > 0 ? LAST_PROBE : doubledDelay;
    if (isClosed() || !isDown()) {
      return;
    }
    Deadline deadline = context.deadlineIn(PROBE_TIMEOUT);
    StageLoops.guarded(
            () -> copyTarget(deadline).thenCompose(store -> store.read(PROBE_KEY, deadline)))
        .whenComplete(
            (entry, failure) -> {
              if (failure == null) {
                recordSuccess();
              } else if (isDown()) {
                if (StageLoops.unwrap(failure) instanceof SiteException siteException) {
                  recordLoss(siteException.reason());
                }
                scheduleProbe(next);
              }
            });
  }

  private CompletionStage<SiteStore> copyTarget(Deadline deadline) {
    SiteStore target = store().orElse(state.filling());
    return target == null ? replica.open(deadline) : CompletableFuture.completedFuture(target);
  }
}
