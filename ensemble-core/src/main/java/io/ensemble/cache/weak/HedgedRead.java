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
final class HedgedRead<T> implements HedgeTimer.Pending {

  private final WeakContext context;
  private final List<WeakSite> order;
  private final Bytes key;
  private final Deadline deadline;
  private final Function<@Nullable Envelope, T> reading;
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  // The fields below are guarded by this.
  private int next;
  private int underWay;
  private @Nullable Map<String, String> silent;

  /**
   * @param reading extracts the result from the entry, or null if there is none
   */
  HedgedRead(
      WeakContext context,
      List<WeakSite> order,
      Bytes key,
      Deadline deadline,
      Function<@Nullable Envelope, T> reading) {
    this.context = context;
    this.order = order;
    this.key = key;
    this.deadline = deadline;
    this.reading = reading;
  }

  CompletionStage<T> run(HedgeTimer hedgeTimer) {
    if (deadline.hasPassed(context.scheduler())) {
      return CompletableFuture.failedFuture(unavailable(RequestFailures.late(order)));
    }
    askNext();
    if (!answer.isDone()) {
      hedgeTimer.add(this);
    }
    return answer;
  }

  @Override
  public boolean isDone() {
    return answer.isDone();
  }

  @Override
  public void lookAgain() {
    askNext();
  }

  @Override
  public void close() {
    if (answer.isDone()) {
      return;
    }
    Map<String, String> reasons = new TreeMap<>();
    synchronized (this) {
      next = order.size();
      order.forEach(member -> reasons.put(member.name(), RequestFailures.CLOSED));
      if (silent != null) {
        reasons.putAll(silent);
      }
    }
    end(reasons);
  }

  private void end(Map<String, String> reasons) {
    // A site without a store fails immediately, on the caller's thread.
    context.hop(() -> answer.completeExceptionally(unavailable(reasons)));
  }

  private void askNext() {
    WeakSite member;
    int asked;
    synchronized (this) {
      if (next >= order.size() || answer.isDone()) {
        return;
      }
      member = order.get(next++);
      asked = next;
      underWay++;
    }
    member
        .call(WeakMetrics.Kind.READ, deadline, store -> store.get(key, deadline))
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                failed(member, StageLoops.unwrap(failure));
              } else {
                found(member, found, asked);
              }
            });
  }

  private void found(WeakSite member, Optional<Bytes> found, int asked) {
    T read;
    try {
      read = read(found);
    } catch (RuntimeException strange) {
      failed(member, strange);
      return;
    }
    if (answer.complete(read)) {
      context.metrics().roundTrips(WeakMetrics.Operation.READ, asked);
    }
  }

  private T read(Optional<Bytes> found) {
    if (found.isEmpty()) {
      return reading.apply(null);
    }
    Envelope envelope = WeakEntries.decode(found.get());
    context.stamps().saw(envelope.stamp());
    return reading.apply(envelope);
  }

  private void failed(WeakSite member, Throwable failure) {
    Map<String, String> reasons;
    boolean over;
    synchronized (this) {
      underWay--;
      if (silent == null) {
        silent = new TreeMap<>();
      }
      reasons = silent;
      reasons.put(member.name(), RequestFailures.reason(failure));
      over = underWay == 0 && next >= order.size();
    }
    if (over) {
      end(reasons);
    } else {
      askNext();
    }
  }

  private QuorumUnavailableException unavailable(Map<String, String> reasons) {
    return new QuorumUnavailableException(
        context.cache(), context.shortfall(1, order.size(), Set.of(), reasons));
  }
}
