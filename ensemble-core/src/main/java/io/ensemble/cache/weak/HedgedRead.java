package io.ensemble.cache.weak;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.cache.weak.replica.RequestFailures;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakMetrics;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.envelope.Envelope;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A read at the first site, and at the next as well once a site has failed or been slow. The first
 * response counts.
 *
 * @param <T> the type of the result
 */
final class HedgedRead<T> implements HedgeTimer.HedgedOperation {

  private final WeakContext context;
  private final List<WeakSite> order;
  private final Bytes key;
  private final Deadline deadline;
  private final Function<@Nullable Envelope, T> decoder;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  // The fields below are guarded by this.
  private int nextSite;
  private int openRequests;
  private @Nullable Map<String, String> failures;

  /**
   * @param decoder extracts the result from the entry, or null if there is none
   */
  HedgedRead(
      WeakContext context,
      List<WeakSite> order,
      Bytes key,
      Deadline deadline,
      Function<@Nullable Envelope, T> decoder) {
    this.context = context;
    this.order = order;
    this.key = key;
    this.deadline = deadline;
    this.decoder = decoder;
  }

  CompletionStage<T> run(HedgeTimer hedgeTimer) {
    if (deadline.hasPassed(context.scheduler())) {
      return CompletableFuture.failedFuture(unavailable(RequestFailures.late(order)));
    }
    readNext();
    if (!result.isDone()) {
      hedgeTimer.add(this);
    }
    return result;
  }

  @Override
  public boolean isDone() {
    return result.isDone();
  }

  @Override
  public void sendHedge() {
    readNext();
  }

  @Override
  public void close() {
    if (result.isDone()) {
      return;
    }
    Map<String, String> reasons = new TreeMap<>();
    synchronized (this) {
      nextSite = order.size();
      order.forEach(member -> reasons.put(member.name(), RequestFailures.CLOSED));
      if (failures != null) {
        reasons.putAll(failures);
      }
    }
    failWith(reasons);
  }

  private void failWith(Map<String, String> reasons) {
    // A site without a store fails immediately, on the caller's thread.
    context.hop(() -> result.completeExceptionally(unavailable(reasons)));
  }

  private void readNext() {
    WeakSite member;
    int requestCount;
    synchronized (this) {
      if (nextSite >= order.size() || result.isDone()) {
        return;
      }
      member = order.get(nextSite++);
      requestCount = nextSite;
      openRequests++;
    }
    member
        .call(WeakMetrics.Kind.READ, deadline, store -> store.get(key, deadline))
        .whenComplete(
            (stored, failure) -> {
              if (failure != null) {
                handleFailure(member, StageLoops.unwrap(failure));
              } else {
                handleEntry(member, stored, requestCount);
              }
            });
  }

  private void handleEntry(WeakSite member, Optional<Bytes> stored, int requestCount) {
    T read;
    try {
      read = decodeEntry(stored);
    } catch (RuntimeException exception) {
      handleFailure(member, exception);
      return;
    }
    if (result.complete(read)) {
      context.metrics().roundTrips(WeakMetrics.Operation.READ, requestCount);
    }
  }

  private T decodeEntry(Optional<Bytes> stored) {
    if (stored.isEmpty()) {
      return decoder.apply(null);
    }
    Envelope envelope = WeakEntries.decode(stored.get());
    context.stamps().observe(envelope.stamp());
    return decoder.apply(envelope);
  }

  private void handleFailure(WeakSite member, Throwable failure) {
    Map<String, String> reasons;
    boolean haveAllFailed;
    synchronized (this) {
      openRequests--;
      if (failures == null) {
        failures = new TreeMap<>();
      }
      reasons = failures;
      reasons.put(member.name(), RequestFailures.reason(failure));
      haveAllFailed = openRequests == 0 && nextSite >= order.size();
    }
    if (haveAllFailed) {
      failWith(reasons);
    } else {
      readNext();
    }
  }

  private QuorumUnavailableException unavailable(Map<String, String> reasons) {
    return new QuorumUnavailableException(
        context.cache(), context.shortfall(1, order.size(), Set.of(), reasons));
  }
}
