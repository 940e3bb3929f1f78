package io.ensemble.cache.trust;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.trust.ConfigurationTrust;
import io.ensemble.trust.TrustRules;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What one process knows of the end of one configuration, renewed while it is used: one read at
 * each site each third of a lease, and none while nobody calls. Thread-safe.
 */
public final class TrustReader {

  private final TrustRules rules;
  private final List<? extends StoreHandle> handles;
  private final Scheduler scheduler;
  private final ConfigurationTrust trust;
  private final Runnable metEnd;
  private final AtomicReferenceArray<CompletableFuture<Void>> asking;

  /**
   * @param handles the configuration's stores
   * @param needed how many of its sites must be trusted for an answer of the whole
   * @param metEnd told each time an end is met, on whatever thread
   */
  public TrustReader(
      TrustRules rules,
      List<? extends StoreHandle> handles,
      int needed,
      Scheduler scheduler,
      Runnable metEnd) {
    this.rules = rules;
    this.handles = List.copyOf(handles);
    this.scheduler = scheduler;
    this.metEnd = metEnd;
    trust = new ConfigurationTrust(rules, handles.size(), needed);
    asking = new AtomicReferenceArray<>(handles.size());
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
   * or none. False at the deadline.
   */
  CompletionStage<Boolean> confirmed(Deadline deadline) {
    CompletableFuture<Boolean> own = new CompletableFuture<>();
    AtomicInteger left = new AtomicInteger(handles.size());
    for (int site = 0; site < handles.size(); site++) {
      ask(site)
          .whenComplete(
              (heard, failure) -> {
                if (mayAnswer()) {
                  own.complete(true);
                } else if (left.decrementAndGet() == 0) {
                  own.complete(false);
                }
              });
    }
    return until(deadline, own);
  }

  /** As the other method, of one site. */
  CompletionStage<Boolean> confirmed(int site, Deadline deadline) {
    CompletableFuture<Boolean> own = new CompletableFuture<>();
    ask(site).whenComplete((heard, failure) -> own.complete(mayAnswer(site)));
    return until(deadline, own);
  }

  private CompletionStage<Boolean> until(Deadline deadline, CompletableFuture<Boolean> own) {
    if (own.isDone()) {
      return own;
    }
    try {
      Timer late =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)), () -> own.complete(false));
      own.whenComplete((yes, failure) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      own.complete(false);
    }
    return own;
  }

  /** Asks a site for the end, unless it is being asked; completes whatever comes of it. */
  private CompletableFuture<Void> ask(int site) {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> other = asking.compareAndExchange(site, null, mine);
    if (other != null) {
      return other;
    }
    long asked = scheduler.nanos();
    Deadline soon = new Deadline(asked + rules.renewalNanos());
    StoreHandle handle = handles.get(site);
    CompletionStage<Boolean> end;
    try {
      end =
          handle
              .store(soon)
              .thenCompose(store -> store.get(Reserved.END, soon))
              .thenApply(found -> found.isPresent());
    } catch (RuntimeException refused) {
      end = CompletableFuture.failedFuture(refused);
    }
    end.whenComplete(
        (ended, failure) -> {
          if (failure == null && ended) {
            trust.showedEnd(site);
          } else if (failure == null) {
            trust.showedNoEnd(site, asked, scheduler.nanos());
          }
          asking.set(site, null);
          mine.complete(null);
          if (failure == null && ended) {
            metEnd.run();
          }
        });
    return mine;
  }
}
