package io.ensemble.cache.weak;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.replica.CasMerge;
import io.ensemble.cache.weak.replica.EntryBroadcaster;
import io.ensemble.cache.weak.replica.LastWriterPut;
import io.ensemble.cache.weak.replica.RequestFailures;
import io.ensemble.cache.weak.replica.RequestNotSentException;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One write on its way to as many sites as must have it; the others get it from their {@link
 * io.ensemble.cache.weak.replica.Copier}. With {@code Ack.LOCAL} the first site is written, and the
 * next as well once a site has failed or been slow. The stamp is the same everywhere, so writing at
 * two sites is harmless. With {@code Ack.MAJORITY} all sites are written at the same time.
 *
 * @param <R> the result of the caller's operation
 */
final class ReplicatedWrite<R> implements HedgeTimer.HedgedOperation {

  private enum SiteWriteState {
    /** To be written as soon as the site's store is open. */
    ASKED,
    SENT,
    WRITTEN,
    FAILED
  }

  private final WeakContext context;
  private final List<WeakSite> order;
  private final int requiredAcks;
  private final EntryBroadcaster entryBroadcaster;
  private final Bytes key;
  private final StampedEntry entry;
  private final Deadline deadline;
  private final @Nullable R result;
  private final CompletableFuture<WriteOutcome<R>> completion = new CompletableFuture<>();

  // The fields below are guarded by this.
  private final Map<WeakSite, SiteWriteState> states = new HashMap<>();
  private final Map<String, String> failures = new TreeMap<>();
  private int writtenSites;
  private int openRequests;
  private int rounds;
  private boolean mayBeWritten;
  private boolean isSettled;
  private boolean closed;
  private boolean isFromUpdate;
  private @Nullable Stamp newerStamp;

  /**
   * Whether the clock rejects the stamp of {@link #newerStamp}. The caller must receive this
   * failure, unless the write renews an entry with such a stamp.
   */
  private boolean isTooFarAhead;

  ReplicatedWrite(
      WeakContext context,
      List<WeakSite> order,
      int requiredAcks,
      EntryBroadcaster entryBroadcaster,
      Bytes key,
      StampedEntry entry,
      Deadline deadline,
      @Nullable R result) {
    this.context = context;
    this.order = order;
    this.requiredAcks = requiredAcks;
    this.entryBroadcaster = entryBroadcaster;
    this.key = key;
    this.entry = entry;
    this.deadline = deadline;
    this.result = result;
  }

  CompletionStage<WriteOutcome<R>> run(HedgeTimer hedgeTimer) {
    if (deadline.hasPassed(context.scheduler())) {
      WriteOutcome<R> late = new WriteOutcome.Refused<>(shortfall(RequestFailures.late(order)));
      return CompletableFuture.completedFuture(late);
    }
    beginWrites(hedgeTimer);
    return completion;
  }

  /** Continues a write that {@code home} has already. */
  CompletionStage<WriteOutcome<R>> runFrom(WeakSite home, HedgeTimer hedgeTimer) {
    synchronized (this) {
      isFromUpdate = true;
      states.put(home, SiteWriteState.WRITTEN);
      writtenSites = 1;
      mayBeWritten = true;
    }
    if (!completeIfAcknowledged()) {
      beginWrites(hedgeTimer);
    }
    return completion;
  }

  private void beginWrites(HedgeTimer hedgeTimer) {
    boolean hasNext = writeNext();
    while (hasNext && requiredAcks > 1) {
      hasNext = writeNext(); // All sites at the same time.
    }
    if (!completion.isDone()) {
      hedgeTimer.add(this);
    }
  }

  @Override
  public boolean isDone() {
    return completion.isDone();
  }

  @Override
  public void sendHedge() {
    writeNext();
  }

  /**
   * Requests already sent may take effect; requests that wait for a store to be opened are not
   * sent.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (isSettled) {
        return;
      }
      closed = true;
      for (WeakSite member : order) {
        SiteWriteState state = states.get(member);
        mayBeWritten |= state == SiteWriteState.SENT;
        if (state != SiteWriteState.WRITTEN && state != SiteWriteState.FAILED) {
          failures.put(member.name(), RequestFailures.CLOSED);
        }
      }
    }
    failWithoutQuorum();
  }

  private boolean writeNext() {
    WeakSite member = null;
    synchronized (this) {
      if (isSettled || closed) {
        return false;
      }
      for (WeakSite candidate : order) {
        if (member == null && !states.containsKey(candidate)) {
          member = candidate;
        }
      }
      if (member == null) {
        return false;
      }
      states.put(member, SiteWriteState.ASKED);
      openRequests++;
      rounds = requiredAcks > 1 ? 1 : rounds + 1;
    }
    write(member);
    return true;
  }

  private void write(WeakSite member) {
    boolean isOnlySite = order.size() == 1;
    member
        .call(
            WeakMetrics.Kind.WRITE,
            deadline,
            store -> {
              recordSent(member);
              return isOnlySite
                  ? store
                      .put(key, entry.stored(), deadline)
                      .thenApply(done -> LastWriterPut.Result.STANDS)
                  : CasMerge.orSwap(
                      context,
                      store,
                      key,
                      entry,
                      deadline,
                      newerEntry -> recordNewer(member, newerEntry));
            })
        .whenComplete(
            (putResult, failure) -> {
              try {
                if (failure == null) {
                  recordWritten(member, putResult);
                } else {
                  recordFailure(member, StageLoops.unwrap(failure));
                }
              } catch (RuntimeException | Error exception) { // The caller must not wait for ever.
                completion.completeExceptionally(exception);
              }
            });
  }

  private synchronized void recordSent(WeakSite member) {
    if (closed) {
      throw RequestNotSentException.closed(member.name());
    }
    states.put(member, SiteWriteState.SENT);
  }

  /**
   * Records that a newer entry was found, which is being put back. The write is superseded in any
   * case.
   */
  private void recordNewer(WeakSite member, StampedEntry newerEntry) {
    context.metrics().putBack(member.name());
    boolean isAdopted = context.stamps().observe(newerEntry.stamp());
    synchronized (this) {
      rounds++;
      if (newerStamp == null || newerEntry.stamp().isAfter(newerStamp)) {
        newerStamp = newerEntry.stamp();
        isTooFarAhead = !isAdopted && !context.stamps().isTooFarAhead(entry.stamp());
      }
    }
  }

  private void recordWritten(WeakSite member, LastWriterPut.Result putResult) {
    StampedEntry newerEntry = putResult.newer();
    synchronized (this) {
      states.put(member, SiteWriteState.WRITTEN);
      writtenSites++;
      openRequests--;
    }
    if (newerEntry != null && !putResult.restored()) {
      member.markDoubtful();
      entryBroadcaster.toAll(key, newerEntry);
    }
    if (!completeIfAcknowledged()) {
      failIfHopeless();
    }
  }

  private void recordFailure(WeakSite member, Throwable failure) {
    boolean isHarmless = RequestFailures.isHarmless(failure);
    boolean wasSettled;
    synchronized (this) {
      states.put(member, SiteWriteState.FAILED);
      openRequests--;
      mayBeWritten |= !isHarmless;
      failures.put(member.name(), RequestFailures.reason(failure));
      wasSettled = isSettled;
    }
    if (!isHarmless) {
      // The request may have replaced a newer entry, or the site may lack a write that others have.
      member.markDoubtful();
    } else if (wasSettled && !isClosed()) {
      member.copier().offer(key, entry, deadline);
    }
    if (!wasSettled && !writeNext()) {
      failIfHopeless();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean completeIfAcknowledged() {
    Stamp winningStamp;
    boolean isRejected;
    int roundTrips;
    List<WeakSite> remainingSites = new ArrayList<>();
    synchronized (this) {
      if (isSettled || writtenSites < requiredAcks) {
        return isSettled;
      }
      isSettled = true;
      winningStamp = newerStamp;
      isRejected = isTooFarAhead;
      roundTrips = rounds;
      for (WeakSite member : order) {
        SiteWriteState state = states.get(member);
        if (state == null || state == SiteWriteState.FAILED) {
          remainingSites.add(member);
        }
      }
    }
    if (!isFromUpdate) {
      context.metrics().roundTrips(WeakMetrics.Operation.WRITE, roundTrips);
    }
    if (winningStamp != null && isRejected) {
      completion.completeExceptionally(
          context.stamps().skewException(context.cache(), winningStamp));
      return true;
    }
    if (winningStamp != null) {
      // The writer of the newer entry copies it.
      completion.complete(new WriteOutcome.Superseded<>(winningStamp));
      return true;
    }
    copyTo(remainingSites, new WriteOutcome.Applied<>(result, entry.stamp(), true));
    return true;
  }

  private void copyTo(List<WeakSite> remainingSites, WriteOutcome<R> outcome) {
    List<CompletionStage<Void>> rooms = new ArrayList<>();
    for (WeakSite member : remainingSites) {
      CompletionStage<Void> room = member.copier().offer(key, entry, deadline);
      if (!room.toCompletableFuture().isDone()) {
        rooms.add(room);
      }
    }
    if (rooms.isEmpty()) {
      completion.complete(outcome);
    } else {
      StageLoops.all(rooms).thenRun(() -> completion.complete(outcome));
    }
  }

  private void failIfHopeless() {
    synchronized (this) {
      if (openRequests > 0 || states.size() < order.size()) {
        return;
      }
    }
    failWithoutQuorum();
  }

  /** Ends the write without enough sites. */
  private void failWithoutQuorum() {
    WriteOutcome<R> outcome;
    boolean isUnknown;
    List<WeakSite> remainingSites = new ArrayList<>();
    synchronized (this) {
      if (isSettled) {
        return;
      }
      isSettled = true;
      if (writtenSites > 0) {
        order.stream()
            .filter(member -> states.get(member) == SiteWriteState.FAILED)
            .forEach(remainingSites::add);
      }
      isUnknown = mayBeWritten || writtenSites > 0;
      outcome =
          isUnknown
              ? new WriteOutcome.Unknown<>(shortfall(failures))
              : new WriteOutcome.Refused<>(shortfall(failures));
    }
    if (isUnknown) {
      context.metrics().outcomeUnknown();
    }
    // A site has the write, so every site will receive it.
    remainingSites.forEach(member -> member.copier().offer(key, entry, deadline));
    // Sites without a store fail immediately, on the caller's thread.
    context.hop(() -> completion.complete(outcome));
  }

  private QuorumFailure shortfall(Map<String, String> reasons) {
    Set<String> answeredSites = new TreeSet<>();
    for (Map.Entry<WeakSite, SiteWriteState> state : states.entrySet()) {
      if (state.getValue() == SiteWriteState.WRITTEN) {
        answeredSites.add(state.getKey().name());
      }
    }
    return context.shortfall(requiredAcks, order.size(), answeredSites, reasons);
  }
}
