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
final class ReplicatedWrite<R> implements HedgeTimer.Pending {

  private enum Part {
    /** To be written as soon as the site's store is open. */
    ASKED,
    SENT,
    WRITTEN,
    FAILED
  }

  private final WeakContext context;
  private final List<WeakSite> order;
  private final int needed;
  private final EntryBroadcaster entryBroadcaster;
  private final Bytes key;
  private final StampedEntry entry;
  private final Deadline deadline;
  private final @Nullable R result;
  private final CompletableFuture<WriteOutcome<R>> answer = new CompletableFuture<>();

  // The fields below are guarded by this.
  private final Map<WeakSite, Part> parts = new HashMap<>();
  private final Map<String, String> silent = new TreeMap<>();
  private int written;
  private int underWay;
  private int rounds;
  private boolean perhaps;
  private boolean settled;
  private boolean closed;
  private boolean fromUpdate;
  private @Nullable Stamp newer;

  /**
   * Whether the clock rejects the stamp of {@link #newer}. The caller must receive this failure,
   * unless the write renews an entry with such a stamp.
   */
  private boolean tooFarAhead;

  ReplicatedWrite(
      WeakContext context,
      List<WeakSite> order,
      int needed,
      EntryBroadcaster entryBroadcaster,
      Bytes key,
      StampedEntry entry,
      Deadline deadline,
      @Nullable R result) {
    this.context = context;
    this.order = order;
    this.needed = needed;
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
    begin(hedgeTimer);
    return answer;
  }

  /** Continues a write that {@code home} has already. */
  CompletionStage<WriteOutcome<R>> runFrom(WeakSite home, HedgeTimer hedgeTimer) {
    synchronized (this) {
      fromUpdate = true;
      parts.put(home, Part.WRITTEN);
      written = 1;
      perhaps = true;
    }
    if (!settle()) {
      begin(hedgeTimer);
    }
    return answer;
  }

  private void begin(HedgeTimer hedgeTimer) {
    boolean more = writeNext();
    while (more && needed > 1) {
      more = writeNext(); // All sites at the same time.
    }
    if (!answer.isDone()) {
      hedgeTimer.add(this);
    }
  }

  @Override
  public boolean isDone() {
    return answer.isDone();
  }

  @Override
  public void lookAgain() {
    writeNext();
  }

  /**
   * Requests already sent may take effect; requests that wait for a store to be opened are not
   * sent.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (settled) {
        return;
      }
      closed = true;
      for (WeakSite member : order) {
        Part part = parts.get(member);
        perhaps |= part == Part.SENT;
        if (part != Part.WRITTEN && part != Part.FAILED) {
          silent.put(member.name(), RequestFailures.CLOSED);
        }
      }
    }
    endWithout();
  }

  private boolean writeNext() {
    WeakSite member = null;
    synchronized (this) {
      if (settled || closed) {
        return false;
      }
      for (WeakSite candidate : order) {
        if (member == null && !parts.containsKey(candidate)) {
          member = candidate;
        }
      }
      if (member == null) {
        return false;
      }
      parts.put(member, Part.ASKED);
      underWay++;
      rounds = needed > 1 ? 1 : rounds + 1;
    }
    write(member);
    return true;
  }

  private void write(WeakSite member) {
    boolean alone = order.size() == 1;
    member
        .call(
            WeakMetrics.Kind.WRITE,
            deadline,
            store -> {
              send(member);
              return alone
                  ? store
                      .put(key, entry.stored(), deadline)
                      .thenApply(done -> LastWriterPut.Result.STANDS)
                  : CasMerge.orSwap(
                      context, store, key, entry, deadline, found -> lost(member, found));
            })
        .whenComplete(
            (swapped, failure) -> {
              try {
                if (failure == null) {
                  wrote(member, swapped);
                } else {
                  failed(member, StageLoops.unwrap(failure));
                }
              } catch (RuntimeException | Error broken) { // The caller must not wait for ever.
                answer.completeExceptionally(broken);
              }
            });
  }

  private synchronized void send(WeakSite member) {
    if (closed) {
      throw RequestNotSentException.closed(member.name());
    }
    parts.put(member, Part.SENT);
  }

  /**
   * Records that a newer entry was found, which is being put back. The write is superseded in any
   * case.
   */
  private void lost(WeakSite member, StampedEntry found) {
    context.metrics().putBack(member.name());
    boolean adopted = context.stamps().saw(found.stamp());
    synchronized (this) {
      rounds++;
      if (newer == null || found.stamp().isAfter(newer)) {
        newer = found.stamp();
        tooFarAhead = !adopted && !context.stamps().isTooFarAhead(entry.stamp());
      }
    }
  }

  private void wrote(WeakSite member, LastWriterPut.Result swapped) {
    StampedEntry found = swapped.newer();
    synchronized (this) {
      parts.put(member, Part.WRITTEN);
      written++;
      underWay--;
    }
    if (found != null && !swapped.restored()) {
      member.markDoubtful();
      entryBroadcaster.toAll(key, found);
    }
    if (!settle()) {
      endIfHopeless();
    }
  }

  private void failed(WeakSite member, Throwable failure) {
    boolean harmless = RequestFailures.isHarmless(failure);
    boolean over;
    synchronized (this) {
      parts.put(member, Part.FAILED);
      underWay--;
      perhaps |= !harmless;
      silent.put(member.name(), RequestFailures.reason(failure));
      over = settled;
    }
    if (!harmless) {
      // The request may have replaced a newer entry, or the site may lack a write that others have.
      member.markDoubtful();
    } else if (over && !isClosed()) {
      member.copier().offer(key, entry, deadline);
    }
    if (!over && !writeNext()) {
      endIfHopeless();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean settle() {
    Stamp winner;
    boolean rejected;
    int took;
    List<WeakSite> rest = new ArrayList<>();
    synchronized (this) {
      if (settled || written < needed) {
        return settled;
      }
      settled = true;
      winner = newer;
      rejected = tooFarAhead;
      took = rounds;
      for (WeakSite member : order) {
        Part part = parts.get(member);
        if (part == null || part == Part.FAILED) {
          rest.add(member);
        }
      }
    }
    if (!fromUpdate) {
      context.metrics().roundTrips(WeakMetrics.Operation.WRITE, took);
    }
    if (winner != null && rejected) {
      answer.completeExceptionally(context.stamps().rejected(context.cache(), winner));
      return true;
    }
    if (winner != null) {
      // The writer of the newer entry copies it.
      answer.complete(new WriteOutcome.Superseded<>(winner));
      return true;
    }
    copyTo(rest, new WriteOutcome.Applied<>(result, entry.stamp(), true));
    return true;
  }

  private void copyTo(List<WeakSite> rest, WriteOutcome<R> outcome) {
    List<CompletionStage<Void>> rooms = new ArrayList<>();
    for (WeakSite member : rest) {
      CompletionStage<Void> room = member.copier().offer(key, entry, deadline);
      if (!room.toCompletableFuture().isDone()) {
        rooms.add(room);
      }
    }
    if (rooms.isEmpty()) {
      answer.complete(outcome);
    } else {
      StageLoops.all(rooms).thenRun(() -> answer.complete(outcome));
    }
  }

  private void endIfHopeless() {
    synchronized (this) {
      if (underWay > 0 || parts.size() < order.size()) {
        return;
      }
    }
    endWithout();
  }

  /** Ends the write without enough sites. */
  private void endWithout() {
    WriteOutcome<R> outcome;
    boolean unknown;
    List<WeakSite> rest = new ArrayList<>();
    synchronized (this) {
      if (settled) {
        return;
      }
      settled = true;
      if (written > 0) {
        order.stream().filter(member -> parts.get(member) == Part.FAILED).forEach(rest::add);
      }
      unknown = perhaps || written > 0;
      outcome =
          unknown
              ? new WriteOutcome.Unknown<>(shortfall(silent))
              : new WriteOutcome.Refused<>(shortfall(silent));
    }
    if (unknown) {
      context.metrics().outcomeUnknown();
    }
    // A site has the write, so every site will receive it.
    rest.forEach(member -> member.copier().offer(key, entry, deadline));
    // Sites without a store fail immediately, on the caller's thread.
    context.hop(() -> answer.complete(outcome));
  }

  private QuorumFailure shortfall(Map<String, String> reasons) {
    Set<String> heard = new TreeSet<>();
    for (Map.Entry<WeakSite, Part> part : parts.entrySet()) {
      if (part.getValue() == Part.WRITTEN) {
        heard.add(part.getKey().name());
      }
    }
    return context.shortfall(needed, order.size(), heard, reasons);
  }
}
