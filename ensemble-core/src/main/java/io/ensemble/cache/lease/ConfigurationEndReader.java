package io.ensemble.cache.lease;

import io.ensemble.cache.StoreHandle;
import io.ensemble.lease.ConfigurationLease;
import io.ensemble.lease.LeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.SiteStore;
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
 * What one process knows of the end of one configuration, renewed while it is used: one read at
 * each site each third of a lease, and none while nobody calls. The reads have {@linkplain
 * SiteStore#prioritized slots of their own} at a site: data under way there does not delay them.
 * Thread-safe.
 */
public final class ConfigurationEndReader {

  /** How often sites that failed are asked again while an answer waits for them. */
  static final long RETRY_NANOS = Duration.ofMillis(50).toNanos();

  private final LeaseRules rules;
  private final List<? extends StoreHandle> handles;
  private final Scheduler scheduler;
  private final ConfigurationLease trust;
  private final Runnable metEnd;
  private final Supplier<CompletionStage<Boolean>> named;
  private final AtomicReferenceArray<@Nullable EndRead> reads;
  private final Set<Confirmation> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean retrying = new AtomicBoolean();
  private volatile boolean closed;

  /** A read of the end that was sent and has not been answered. Told apart by identity. */
  private static final class EndRead {
    final long sentNanos;

    EndRead(long sentNanos) {
      this.sentNanos = sentNanos;
    }
  }

  /** An answer that waits until it may be given. */
  private abstract static class Confirmation {
    final CompletableFuture<Boolean> result = new CompletableFuture<>();

    /** Completes the result if it is decided now that the read at {@code site} has ended. */
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
      } else if (site == one && reads.get(one) == null) { // None that was sent later is open.
        result.complete(false);
      }
    }
  }

  /**
   * @param handles the configuration's stores
   * @param needed how many of its sites must be trusted for an answer of the whole
   * @param metEnd told each time an end is met, on whatever thread
   */
  public ConfigurationEndReader(
      LeaseRules rules,
      List<? extends StoreHandle> handles,
      int needed,
      Scheduler scheduler,
      Runnable metEnd) {
    this(rules, handles, needed, scheduler, metEnd, () -> CompletableFuture.completedFuture(true));
  }

  /**
   * As the other constructor, of a configuration that may be abandoned after its stores are lost,
   * and whose stores may then come back without an end. Such a store is missing for longer than a
   * lease, so that the trust in its site has run out.
   *
   * @param named whether the cache's record, as it was lately, names the configuration; asked when
   *     a site shows no end that is not trusted yet, or not any more
   */
  public ConfigurationEndReader(
      LeaseRules rules,
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

  /** A call is about to begin: has trust renewed, beside it, if it is time. */
  void use() {
    if (trust.isStale(scheduler.nanos())) {
      for (int site = 0; site < handles.size(); site++) {
        ask(site);
      }
    }
  }

  /** As {@link #use}, of one site. */
  void use(int site) {
    if (trust.isStale(site, scheduler.nanos())) {
      ask(site);
    }
  }

  /** Whether an answer of the whole may be given now. */
  boolean mayAnswer() {
    return rules.mayAnswer(trust, scheduler.nanos());
  }

  /** Whether an answer of one site counts now. */
  boolean mayAnswer(int site) {
    return trust.holds(site, scheduler.nanos());
  }

  /** Whether the configuration is known to be ending. */
  public boolean isEnding() {
    return trust.isEnding();
  }

  /**
   * Whether an answer that is there may be given, now or when the sites have said so: a round trip,
   * or none. Sites that fail to say are asked again until the deadline, for the answer may be that
   * of a write that has taken effect. False at the deadline, and when so many sites show the end
   * that the answer can never be given.
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
   * As the other method, of one site, which is asked once: where it fails to say, its caller goes
   * to another site.
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

  /** From here on each read that ends may decide it, and the deadline does. */
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

  /** One timer for all answers that wait. */
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
    if (!waiting.isEmpty() && retrying.compareAndSet(false, true)) { // One came meanwhile.
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

  /** Answers that wait are not given, and none waits from now on. */
  void close() {
    closed = true;
    endWaiting();
  }

  /**
   * Asks a site for the end, unless it was asked less than a renewal ago and has not answered. An
   * answer is good for a lease from when it was asked for, so a slow one counts as well.
   */
  private void ask(int site) {
    long now = scheduler.nanos();
    EndRead other = reads.get(site);
    if (other != null && now - other.sentNanos < rules.renewalNanos()) {
      return;
    }
    EndRead mine = new EndRead(now);
    if (!reads.compareAndSet(site, other, mine)) {
      return; // Another thread asks.
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

  /** What an answer says; fails if it says nothing, for the configuration may be abandoned. */
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
              throw new IllegalStateException("the configuration is not the record's");
            });
  }
}
