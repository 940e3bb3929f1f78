package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.EntryMerge;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The background copies to one site: a window of requests under way, and one waiting entry for each
 * key, the {@link EntryMerge} of the entries offered. Both are bounded. When there is no room, a
 * write waits a little. After that wait, and while the site is dirty or down, entries without room
 * are dropped, because a comparison will find them. So one slow site delays writers once, not
 * permanently.
 */
public final class Copier {

  private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

  /** How long the copier pauses when the site is overloaded. */
  private static final Duration BUSY_REST = Duration.ofMillis(10);

  private record Copy(StampedEntry entry, long sinceNanos) {

    /**
     * A key keeps its place and its age when a further entry is added; returns this when nothing
     * changes.
     */
    Copy with(StampedEntry other, EntryMerge entryMerge) {
      StampedEntry both = entryMerge.of(entry, other);
      return both == entry ? this : new Copy(both, sinceNanos);
    }
  }

  private static final class Waiter {

    final Bytes key;
    final StampedEntry entry;
    final CompletableFuture<Void> room = new CompletableFuture<>();
    Timer patience = () -> {};

    Waiter(Bytes key, StampedEntry entry) {
      this.key = key;
      this.entry = entry;
    }
  }

  private final WeakSite weakSite;
  private final WeakContext context;
  private final EntryBroadcaster engine;

  // The fields below are guarded by this; no foreign code is called with the lock held.
  private final Map<Bytes, Copy> pending = new LinkedHashMap<>();
  private final Map<Bytes, Long> underWay = new LinkedHashMap<>();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private final Set<CompletableFuture<Void>> drains = new HashSet<>();
  private long pendingBytes;
  private boolean resting;
  private boolean closed;

  Copier(WeakSite weakSite, WeakContext context, EntryBroadcaster engine) {
    this.weakSite = weakSite;
    this.context = context;
    this.engine = engine;
  }

  /**
   * Sends {@code entry} soon, or leaves it to a comparison; completes when the caller may continue.
   */
  public CompletionStage<Void> offer(Bytes key, StampedEntry entry, Deadline deadline) {
    if (weakSite.isDown()) {
      drop(1);
      return DONE;
    }
    CompletableFuture<Void> room = null;
    boolean dropped = false;
    synchronized (this) {
      if (closed) {
        dropped = true;
      } else if (!admit(key, new Copy(entry, context.scheduler().nanos()))) {
        dropped = weakSite.isDirty() || waiters.size() >= context.options().copies().pending();
        room = dropped ? null : waitForRoom(key, entry, deadline);
        dropped = room == null;
      }
    }
    if (dropped) {
      drop(1);
    }
    pump();
    return room == null ? DONE : room;
  }

  /** Drops all waiting entries; the site is left to a comparison. */
  void abandon() {
    int dropped;
    List<CompletableFuture<Void>> released;
    synchronized (this) {
      dropped = pending.size() + waiters.size();
      pending.clear();
      pendingBytes = 0;
      released = releaseAll();
    }
    if (dropped > 0) {
      drop(dropped);
    }
    released.forEach(one -> one.complete(null));
  }

  /** Completes when nothing waits and nothing is under way. */
  public synchronized CompletionStage<Void> drained() {
    CompletableFuture<Void> drain = new CompletableFuture<>();
    if (isIdle()) {
      drain.complete(null);
    } else {
      drains.add(drain);
    }
    return drain;
  }

  void close() {
    synchronized (this) {
      closed = true;
    }
    abandon();
  }

  synchronized SiteLag lag(String site, SiteState state) {
    long now = context.scheduler().nanos();
    long oldest = 0;
    if (!pending.isEmpty()) {
      oldest = now - pending.values().iterator().next().sinceNanos();
    }
    if (!underWay.isEmpty()) {
      oldest = Math.max(oldest, now - underWay.values().iterator().next());
    }
    int copies = pending.size() + underWay.size() + waiters.size();
    RepairBacklog dirt = state.dirt();
    return new SiteLag(
        site,
        copies,
        Duration.ofNanos(oldest),
        dirt.marks() - dirt.cleaned(),
        dirt.lostMemory() || state.filling() != null,
        state.down(),
        dirt.comparedMicros());
  }

  private boolean admit(Bytes key, Copy offered) {
    Copy waiting = pending.get(key);
    Copy copy = waiting == null ? offered : waiting.with(offered.entry(), context.union());
    if (copy == waiting) {
      return true;
    }
    WeakOptions.Copies bounds = context.options().copies();
    long more = size(copy) - (waiting == null ? 0 : size(waiting));
    boolean full =
        (waiting == null && pending.size() >= bounds.pending())
            || (!pending.isEmpty() && pendingBytes + more > bounds.pendingBytes());
    if (full) {
      return false;
    }
    pending.put(key, copy);
    pendingBytes += more;
    return true;
  }

  private @Nullable CompletableFuture<Void> waitForRoom(
      Bytes key, StampedEntry entry, Deadline deadline) {
    Waiter waiter = new Waiter(key, entry);
    waiters.add(waiter);
    long patience = context.options().copies().patience().toNanos();
    long delay = Math.max(0, Math.min(patience, deadline.remainingNanos(context.scheduler())));
    Timer end = context.later(delay, () -> timeOut(waiter));
    if (end == null) { // The scheduler has ended: no timer would end the wait.
      waiters.remove(waiter);
      return null;
    }
    waiter.patience = end;
    return waiter.room;
  }

  private void timeOut(Waiter waiter) {
    int dropped;
    List<CompletableFuture<Void>> released;
    synchronized (this) {
      if (!waiters.contains(waiter)) {
        return;
      }
      dropped = waiters.size();
      released = releaseAll();
    }
    drop(dropped);
    released.forEach(one -> one.complete(null));
  }

  private void pump() {
    for (Map.Entry<Bytes, Copy> copy = next(); copy != null; copy = next()) {
      if (isTooOld(copy.getValue())) {
        drop(1);
        settle(copy.getKey(), null);
      } else {
        send(copy.getKey(), copy.getValue());
      }
    }
  }

  private boolean isTooOld(Copy copy) {
    WeakOptions options = context.options();
    long oldest = options.longestWrite().minus(options.copies().timeout()).toNanos();
    return context.scheduler().nanos() - copy.sinceNanos() > oldest;
  }

  private synchronized Map.@Nullable Entry<Bytes, Copy> next() {
    if (closed || resting || underWay.size() >= context.options().copies().window()) {
      return null;
    }
    Iterator<Map.Entry<Bytes, Copy>> oldestFirst = pending.entrySet().iterator();
    while (oldestFirst.hasNext()) {
      Map.Entry<Bytes, Copy> copy = oldestFirst.next();
      // Two copies of one key under way at the same time would only make each other put entries
      // back.
      if (!underWay.containsKey(copy.getKey())) {
        Map.Entry<Bytes, Copy> taken = Map.entry(copy.getKey(), copy.getValue());
        oldestFirst.remove();
        pendingBytes -= size(copy.getValue());
        underWay.put(copy.getKey(), copy.getValue().sinceNanos());
        return taken;
      }
    }
    return null;
  }

  private void send(Bytes key, Copy copy) {
    Deadline deadline = context.in(context.options().copies().timeout());
    Consumer<StampedEntry> onPutBack = found -> context.metrics().putBack(weakSite.name());
    weakSite
        .call(
            WeakMetrics.Kind.COPY,
            deadline,
            store -> CasMerge.orSwap(context, store, key, copy.entry(), deadline, onPutBack))
        .whenComplete(
            (result, failure) -> {
              boolean busy = failure != null && isBusy(failure);
              if (failure != null && !busy) {
                context.metrics().copiesDropped(weakSite.name(), 1);
                if (RequestFailures.isHarmless(StageLoops.unwrap(failure))) {
                  weakSite.markDirty(1);
                } else {
                  weakSite.markDoubtful();
                }
              } else if (failure == null && result.newer() != null) {
                context.stamps().saw(result.newer().stamp());
                if (!result.restored()) {
                  weakSite.markDoubtful();
                  engine.toAll(key, result.newer());
                }
              }
              settle(key, busy ? copy : null);
              pump();
            });
  }

  /** A copy has ended, or must be made {@code again} because the site was overloaded. */
  private void settle(Bytes key, @Nullable Copy again) {
    boolean lost;
    List<CompletableFuture<Void>> released = new ArrayList<>();
    synchronized (this) {
      underWay.remove(key);
      lost = again != null && (closed || weakSite.isDown() || !admit(key, again));
      if (again != null && !lost && !resting) {
        resting = true; // Permanent when the scheduler has ended.
        context.later(BUSY_REST.toNanos(), this::rested);
      }
      while (!waiters.isEmpty()
          && admit(
              waiters.element().key,
              new Copy(waiters.element().entry, context.scheduler().nanos()))) {
        released.add(release(waiters.remove()));
      }
      if (isIdle()) {
        released.addAll(drains);
        drains.clear();
      }
    }
    if (lost) {
      drop(1);
    }
    released.forEach(one -> one.complete(null));
  }

  private void rested() {
    synchronized (this) {
      resting = false;
    }
    pump();
  }

  private boolean isIdle() {
    return pending.isEmpty() && underWay.isEmpty() && waiters.isEmpty();
  }

  private List<CompletableFuture<Void>> releaseAll() {
    List<CompletableFuture<Void>> released = new ArrayList<>();
    while (!waiters.isEmpty()) {
      released.add(release(waiters.remove()));
    }
    if (isIdle()) {
      released.addAll(drains);
      drains.clear();
    }
    return released;
  }

  private static CompletableFuture<Void> release(Waiter waiter) {
    waiter.patience.cancel();
    return waiter.room;
  }

  private void drop(int copies) {
    context.metrics().copiesDropped(weakSite.name(), copies);
    weakSite.markDirty(copies);
  }

  private static boolean isBusy(Throwable failure) {
    return StageLoops.unwrap(failure) instanceof SiteException site
        && site.reason() == SiteException.Reason.BUSY;
  }

  private static long size(Copy copy) {
    return copy.entry().stored().size() + 64L;
  }
}
