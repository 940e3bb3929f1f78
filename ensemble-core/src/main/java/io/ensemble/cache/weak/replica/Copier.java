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
      StampedEntry merged = entryMerge.of(entry, other);
      return merged == entry ? this : new Copy(merged, sinceNanos);
    }
  }

  private static final class Waiter {

    final Bytes key;
    final StampedEntry entry;
    final CompletableFuture<Void> room = new CompletableFuture<>();
    Timer patienceTimer = () -> {};

    Waiter(Bytes key, StampedEntry entry) {
      this.key = key;
      this.entry = entry;
    }
  }

  private final WeakSite weakSite;
  private final WeakContext context;
  private final EntryBroadcaster entryBroadcaster;

  // The fields below are guarded by this; no foreign code is called with the lock held.
  private final Map<Bytes, Copy> pendingCopies = new LinkedHashMap<>();
  private final Map<Bytes, Long> activeCopies = new LinkedHashMap<>();
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  private final Set<CompletableFuture<Void>> openDrains = new HashSet<>();
  private long pendingBytes;
  private boolean isPaused;
  private boolean closed;

  Copier(WeakSite weakSite, WeakContext context, EntryBroadcaster entryBroadcaster) {
    this.weakSite = weakSite;
    this.context = context;
    this.entryBroadcaster = entryBroadcaster;
  }

  /**
   * Sends {@code entry} soon, or leaves it to a comparison; completes when the caller may continue.
   */
  public CompletionStage<Void> offer(Bytes key, StampedEntry entry, Deadline deadline) {
    if (weakSite.isDown()) {
      recordDropped(1);
      return DONE;
    }
    CompletableFuture<Void> room = null;
    boolean isDropped = false;
    synchronized (this) {
      if (closed) {
        isDropped = true;
      } else if (!addPending(key, new Copy(entry, context.scheduler().nanos()))) {
        isDropped = weakSite.isDirty() || waiters.size() >= context.options().copies().pending();
        room = isDropped ? null : waitForRoom(key, entry, deadline);
        isDropped = room == null;
      }
    }
    if (isDropped) {
      recordDropped(1);
    }
    sendPending();
    return room == null ? DONE : room;
  }

  /** Drops all waiting entries; the site is left to a comparison. */
  void abandon() {
    int dropped;
    List<CompletableFuture<Void>> released;
    synchronized (this) {
      dropped = pendingCopies.size() + waiters.size();
      pendingCopies.clear();
      pendingBytes = 0;
      released = releaseAll();
    }
    if (dropped > 0) {
      recordDropped(dropped);
    }
    released.forEach(future -> future.complete(null));
  }

  /** Completes when nothing waits and nothing is under way. */
  public synchronized CompletionStage<Void> drained() {
    CompletableFuture<Void> drain = new CompletableFuture<>();
    if (isIdle()) {
      drain.complete(null);
    } else {
      openDrains.add(drain);
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
    if (!pendingCopies.isEmpty()) {
      oldest = now - pendingCopies.values().iterator().next().sinceNanos();
    }
    if (!activeCopies.isEmpty()) {
      oldest = Math.max(oldest, now - activeCopies.values().iterator().next());
    }
    int copies = pendingCopies.size() + activeCopies.size() + waiters.size();
    RepairBacklog repairBacklog = state.repairBacklog();
    return new SiteLag(
        site,
        copies,
        Duration.ofNanos(oldest),
        repairBacklog.marks() - repairBacklog.cleaned(),
        repairBacklog.lostMemory() || state.filling() != null,
        state.down(),
        repairBacklog.comparedMicros());
  }

  private boolean addPending(Bytes key, Copy offered) {
    Copy pendingCopy = pendingCopies.get(key);
    Copy copy =
        pendingCopy == null ? offered : pendingCopy.with(offered.entry(), context.entryMerge());
    if (copy == pendingCopy) {
      return true;
    }
    WeakOptions.CopyLimits limits = context.options().copies();
    long addedBytes = size(copy) - (pendingCopy == null ? 0 : size(pendingCopy));
    boolean isFull =
        (pendingCopy == null && pendingCopies.size() >= limits.pending())
            || (!pendingCopies.isEmpty() && pendingBytes + addedBytes > limits.pendingBytes());
    if (isFull) {
      return false;
    }
    pendingCopies.put(key, copy);
    pendingBytes += addedBytes;
    return true;
  }

  private @Nullable CompletableFuture<Void> waitForRoom(
      Bytes key, StampedEntry entry, Deadline deadline) {
    Waiter waiter = new Waiter(key, entry);
    waiters.add(waiter);
    long patience = context.options().copies().patience().toNanos();
    long delay = Math.max(0, Math.min(patience, deadline.remainingNanos(context.scheduler())));
    Timer timer = context.later(delay, () -> timeOut(waiter));
    if (timer == null) { // The scheduler has ended: no timer would end the wait.
      waiters.remove(waiter);
      return null;
    }
    waiter.patienceTimer = timer;
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
    recordDropped(dropped);
    released.forEach(future -> future.complete(null));
  }

  private void sendPending() {
    for (Map.Entry<Bytes, Copy> copy = takeNext(); copy != null; copy = takeNext()) {
      if (isTooOld(copy.getValue())) {
        recordDropped(1);
        finishCopy(copy.getKey(), null);
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

  private synchronized Map.@Nullable Entry<Bytes, Copy> takeNext() {
    if (closed || isPaused || activeCopies.size() >= context.options().copies().window()) {
      return null;
    }
    Iterator<Map.Entry<Bytes, Copy>> oldestFirst = pendingCopies.entrySet().iterator();
    while (oldestFirst.hasNext()) {
      Map.Entry<Bytes, Copy> copy = oldestFirst.next();
      // Two copies of one key under way at the same time would only make each other put entries
      // back.
      if (!activeCopies.containsKey(copy.getKey())) {
        Map.Entry<Bytes, Copy> nextCopy = Map.entry(copy.getKey(), copy.getValue());
        oldestFirst.remove();
        pendingBytes -= size(copy.getValue());
        activeCopies.put(copy.getKey(), copy.getValue().sinceNanos());
        return nextCopy;
      }
    }
    return null;
  }

  private void send(Bytes key, Copy copy) {
    Deadline deadline = context.deadlineIn(context.options().copies().timeout());
    Consumer<StampedEntry> onPutBack = newerEntry -> context.metrics().putBack(weakSite.name());
    weakSite
        .call(
            WeakMetrics.Kind.COPY,
            deadline,
            store ->
                // A swap whose answer is lost may destroy the only copy of a newer entry.
                weakSite.isInDoubt()
                    ? CasMerge.into(context, store, key, copy.entry(), deadline)
                    : CasMerge.orSwap(context, store, key, copy.entry(), deadline, onPutBack))
        .whenComplete(
            (result, failure) -> {
              boolean isBusy = failure != null && isBusy(failure);
              if (failure != null && !isBusy) {
                context.metrics().copiesDropped(weakSite.name(), 1);
                if (RequestFailures.isHarmless(StageLoops.unwrap(failure))) {
                  weakSite.markDirty(1);
                } else {
                  weakSite.markDoubtful();
                }
              } else if (failure == null && result.newer() != null) {
                context.stamps().observe(result.newer().stamp());
                if (!result.restored()) {
                  weakSite.markDoubtful();
                  entryBroadcaster.toAll(key, result.newer());
                }
              }
              finishCopy(key, isBusy ? copy : null);
              sendPending();
            });
  }

  /** A copy has ended, or must be made {@code retryCopy} because the site was overloaded. */
  private void finishCopy(Bytes key, @Nullable Copy retryCopy) {
    boolean isLost;
    List<CompletableFuture<Void>> released = new ArrayList<>();
    synchronized (this) {
      activeCopies.remove(key);
      isLost = retryCopy != null && (closed || weakSite.isDown() || !addPending(key, retryCopy));
      if (retryCopy != null && !isLost && !isPaused) {
        isPaused = true; // Permanent when the scheduler has ended.
        context.later(BUSY_REST.toNanos(), this::resume);
      }
      while (!waiters.isEmpty()
          && addPending(
              waiters.element().key,
              new Copy(waiters.element().entry, context.scheduler().nanos()))) {
        released.add(release(waiters.remove()));
      }
      if (isIdle()) {
        released.addAll(openDrains);
        openDrains.clear();
      }
    }
    if (isLost) {
      recordDropped(1);
    }
    released.forEach(future -> future.complete(null));
  }

  private void resume() {
    synchronized (this) {
      isPaused = false;
    }
    sendPending();
  }

  private boolean isIdle() {
    return pendingCopies.isEmpty() && activeCopies.isEmpty() && waiters.isEmpty();
  }

  private List<CompletableFuture<Void>> releaseAll() {
    List<CompletableFuture<Void>> released = new ArrayList<>();
    while (!waiters.isEmpty()) {
      released.add(release(waiters.remove()));
    }
    if (isIdle()) {
      released.addAll(openDrains);
      openDrains.clear();
    }
    return released;
  }

  private static CompletableFuture<Void> release(Waiter waiter) {
    waiter.patienceTimer.cancel();
    return waiter.room;
  }

  private void recordDropped(int copies) {
    context.metrics().copiesDropped(weakSite.name(), copies);
    weakSite.markDirty(copies);
  }

  private static boolean isBusy(Throwable failure) {
    return StageLoops.unwrap(failure) instanceof SiteException siteException
        && siteException.reason() == SiteException.Reason.BUSY;
  }

  private static long size(Copy copy) {
    return copy.entry().stored().size() + 64L;
  }
}
