package io.ensemble.cache.lease;

import io.ensemble.cache.StoreHandle;
import io.ensemble.lease.ConfigurationLease;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreObserver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the end of one configuration for one process, and keeps a lease on each of its sites while
 * calls use it. Each site is read once in each third of a lease; without calls no site is read. The
 * reads have {@linkplain SiteStore#prioritized slots of their own} at a site, so data requests
 * under way do not delay them. Thread-safe.
 */
public final class ConfigurationEndReader {

  /** The interval between reads of failed sites while an answer waits for them. */
  static final long RETRY_NANOS = Duration.ofMillis(50).toNanos();

  private final ConfigurationLeaseRules rules;
  private final List<? extends StoreHandle> handles;
  private final Scheduler scheduler;
  private final ConfigurationLease trust;
  private final Runnable metEnd;
  private final Supplier<CompletionStage<Boolean>> named;
  private final AtomicReferenceArray<@Nullable EndRead> reads;
  private final Set<Confirmation> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean retrying = new AtomicBoolean();
  private volatile boolean closed;

  /** A read of the end entry that was sent and has not been answered. Compared by identity. */
  private static final class EndRead {
    final long sentNanos;

    EndRead(long sentNanos) {
      this.sentNanos = sentNanos;
    }
  }

  /** An answer that waits until it may be given. */
  private abstract static class Confirmation {
    final CompletableFuture<Boolean> result = new CompletableFuture<>();

    /** Completes the result, if the end of the read at {@code site} decides it. */
    abstract void afterReadAt(int site);
  }

  private final class ConfigurationConfirmation extends Confirmation {
    @Override
    void afterReadAt(int site) {
      if (mayAnswer()) {
        result.complete(true);
      } else if (!trust.mayHoldAgain()) {
        result.complete(false);
      }
    }
  }

  private final class SiteConfirmation extends Confirmation {
    private final int one;

    SiteConfirmation(int one) {
      this.one = one;
    }

    @Override
    void afterReadAt(int site) {
      if (mayAnswer(one)) {
        result.complete(true);
      } else if (site == one && reads.get(one) == null) { // No read that was sent later is open.
        result.complete(false);
      }
    }
  }

  /**
   * @param handles the configuration's stores
   * @param needed how many sites must be under lease for an answer of the whole configuration
   * @param metEnd run each time a read finds the end, on any thread
   */
  public ConfigurationEndReader(
      ConfigurationLeaseRules rules,
      List<? extends StoreHandle> handles,
      int needed,
      Scheduler scheduler,
      Runnable metEnd) {
    this(rules, handles, needed, scheduler, metEnd, () -> CompletableFuture.completedFuture(true));
  }

  /**
   * As the other constructor, for a configuration that may be abandoned after its stores are lost.
   * The stores of such a configuration may then come back without an end entry. Such a store is
   * missing for longer than a lease, so the lease of its site has expired.
   *
   * @param named whether the cache's record, as last read, names the configuration; called when a
   *     site without a valid lease shows no end
   */
  public ConfigurationEndReader(
      ConfigurationLeaseRules rules,
      List<? extends StoreHandle> handles,
      int needed,
      Scheduler scheduler,
      Runnable metEnd,
      Supplier<CompletionStage<Boolean>> named) {
    this.rules = rules;
    this.handles = List.copyOf(handles);
    this.scheduler = scheduler;
    this.metEnd = metEnd;
    this.named = named;
    trust = new ConfigurationLease(rules, handles.size(), needed);
    reads = new AtomicReferenceArray<>(handles.size());
  }

  /** Called at the beginning of a call: renews the leases in parallel with the call, if due. */
  void use() {
    if (trust.isStale(scheduler.nanos())) {
      for (int site = 0; site < handles.size(); site++) {
        ask(site);
      }
    }
  }

  /** As {@link #use}, for one site. */
  void use(int site) {
    if (trust.isStale(site, scheduler.nanos())) {
      ask(site);
    }
  }

  /** Whether an answer of the whole configuration may be given now. */
  boolean mayAnswer() {
    return rules.mayAnswer(trust, scheduler.nanos());
  }

  /** Whether an answer of one site is valid now. */
  boolean mayAnswer(int site) {
    return trust.holds(site, scheduler.nanos());
  }

  /** An observer of one site that passes on what the site reports under lease. */
  StoreObserver observedUnderLease(StoreObserver observer, int site) {
    return new LeasedObserver(observer, this, site, scheduler);
  }

  /** Whether the configuration is known to be ending. */
  public boolean isEnding() {
    return trust.isEnding();
  }

  /**
   * Whether an answer already obtained may be given: immediately under a lease, otherwise after one
   * round trip. Failed sites are asked again until the deadline, because the answer may be that of
   * a write that has taken effect. False at the deadline, and when so many sites show the end that
   * the answer can never be given.
   */
  CompletionStage<Boolean> confirmed(Deadline deadline) {
    ConfigurationConfirmation confirmation = new ConfigurationConfirmation();
    begin(confirmation, deadline);
    if (mayAnswer()) {
      confirmation.result.complete(true);
    } else if (closed || !trust.mayHoldAgain()) {
      confirmation.result.complete(false);
    } else {
      askStale();
      if (!confirmation.result.isDone() && retrying.compareAndSet(false, true)) {
        retryLater();
      }
    }
    return confirmation.result;
  }

  /**
   * As the other method, for one site, which is asked once. If that read fails, the caller uses
   * another site.
   */
  CompletionStage<Boolean> confirmed(int site, Deadline deadline) {
    SiteConfirmation confirmation = new SiteConfirmation(site);
    begin(confirmation, deadline);
    if (mayAnswer(site)) {
      confirmation.result.complete(true);
    } else {
      ask(site);
    }
    return confirmation.result;
  }

  /** From now on each completed read may decide the confirmation; the deadline ends it. */
  private void begin(Confirmation confirmation, Deadline deadline) {
    waiting.add(confirmation);
    confirmation.result.whenComplete((yes, failure) -> waiting.remove(confirmation));
    try {
      Timer late =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)),
              () -> confirmation.result.complete(false));
      confirmation.result.whenComplete((yes, failure) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      confirmation.result.complete(false);
    }
  }

  /** A single timer serves all waiting answers. */
  private void retryLater() {
    try {
      scheduler.after(RETRY_NANOS, this::retry);
    } catch (RejectedExecutionException ended) {
      endWaiting();
    }
  }

  private void retry() {
    if (!waiting.isEmpty()) {
      askStale();
      retryLater();
      return;
    }
    retrying.set(false);
    if (!waiting.isEmpty() && retrying.compareAndSet(false, true)) { // Another waits now.
      retryLater();
    }
  }

  private void askStale() {
    for (int site = 0; site < handles.size(); site++) {
      use(site);
    }
  }

  private void endWaiting() {
    waiting.forEach(confirmation -> confirmation.result.complete(false));
  }

  /** Rejects the answers that wait, and all later ones. */
  void close() {
    closed = true;
    endWaiting();
  }

  /**
   * Reads the end at a site, unless a read sent less than a renewal interval ago is still open. A
   * response grants a lease from the time its request was sent, so a slow response counts as well.
   */
  private void ask(int site) {
    long now = scheduler.nanos();
    EndRead other = reads.get(site);
    if (other != null && now - other.sentNanos < rules.renewalNanos()) {
      return;
    }
    EndRead mine = new EndRead(now);
    if (!reads.compareAndSet(site, other, mine)) {
      return; // Another thread sends the read.
    }
    Deadline useful = new Deadline(now + rules.leaseNanos());
    StoreHandle handle = handles.get(site);
    CompletionStage<Boolean> end;
    try {
      end =
          handle
              .store(useful)
              .thenCompose(store -> store.prioritized().get(ReservedKey.END, useful))
              .thenCompose(found -> isEnd(site, found.isPresent()));
    } catch (RuntimeException refused) {
      end = CompletableFuture.failedFuture(refused);
    }
    end.whenComplete(
        (ended, failure) -> {
          if (failure == null && ended) {
            trust.showedEnd(site);
          } else if (failure == null) {
            trust.showedNoEnd(site, mine.sentNanos, scheduler.nanos());
          }
          reads.compareAndSet(site, mine, null);
          waiting.forEach(confirmation -> confirmation.afterReadAt(site));
          if (failure == null && ended) {
            metEnd.run();
          }
        });
  }

  /**
   * Interprets the response of a site. Without an end entry and without a lease, the configuration
   * may have been abandoned. The record decides; if it does not name the configuration, the stage
   * fails.
   */
  private CompletionStage<Boolean> isEnd(int site, boolean found) {
    if (found || trust.holds(site, scheduler.nanos())) {
      return CompletableFuture.completedFuture(found);
    }
    return named
        .get()
        .thenApply(
            yes -> {
              if (yes) {
                return false;
              }
              throw new IllegalStateException("the configuration differs from that of the record");
            });
  }
}
