package io.ensemble.cache.distributed;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.repartition.PartLease;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The generation entry of one part, as last read by this process. While calls use the part, the
 * entry is read once in each third of a lease; without calls it is not read. Thread-safe.
 */
public final class GenerationReader {

  private final ConfigurationLeaseRules rules;
  private final Supplier<CacheEngine> part;
  private final Bytes key;
  private final Scheduler scheduler;
  private final PartLease trust;
  private final AtomicReference<CompletableFuture<Void>> asking = new AtomicReference<>();

  /**
   * @param part the part's engine; may throw once it is closed
   * @param key the key of the generation entry
   */
  public GenerationReader(
      ConfigurationLeaseRules rules, Supplier<CacheEngine> part, Bytes key, Scheduler scheduler) {
    this.rules = rules;
    this.part = part;
    this.key = key;
    this.scheduler = scheduler;
    trust = new PartLease(rules);
  }

  /** The lease that the entry last read grants. */
  public PartLease trust() {
    return trust;
  }

  /** If the entry is due for renewal, begins to read it, in parallel with the call that begins. */
  public void use() {
    if (trust.isStale(scheduler.nanos())) {
      ask();
    }
  }

  /** Whether an answer to users of {@code generation} may be given now. */
  boolean holds(long generation) {
    return trust.holds(generation, scheduler.nanos());
  }

  /**
   * Reads the generation entry, and returns whether an answer already obtained may be given. Costs
   * a read of the part. False at the deadline.
   */
  CompletionStage<Boolean> confirmed(long generation, Deadline deadline) {
    CompletableFuture<Boolean> own = new CompletableFuture<>();
    heard(deadline).whenComplete((heard, failure) -> own.complete(holds(generation)));
    return own;
  }

  /** Completes when the entry was read, successfully or not, or at the deadline. */
  public CompletionStage<Void> heard(Deadline deadline) {
    CompletableFuture<Void> own = new CompletableFuture<>();
    CompletableFuture<Void> asked = ask();
    asked.whenComplete((heard, failure) -> own.complete(null));
    if (!own.isDone()) {
      try {
        Timer late =
            scheduler.after(
                Math.max(0, deadline.remainingNanos(scheduler)), () -> own.complete(null));
        own.whenComplete((done, failure) -> late.cancel());
      } catch (RejectedExecutionException ended) {
        own.complete(null);
      }
    }
    return own;
  }

  /** Reads the entry, unless a read is under way. Completes normally even if the read fails. */
  private CompletableFuture<Void> ask() {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> other = asking.compareAndExchange(null, mine);
    if (other != null) {
      return other;
    }
    long asked = scheduler.nanos();
    // A response later than half a lease leaves too little of the lease.
    Deadline soon = new Deadline(asked + rules.outwaitNanos() / 2);
    CompletionStage<Optional<Payload>> read;
    try {
      read = part.get().read(key, soon);
    } catch (RuntimeException refused) {
      read = CompletableFuture.failedFuture(refused);
    }
    read.whenComplete(
        (found, failure) -> {
          if (failure == null) {
            trust.showed(GenerationEntries.of(found.orElse(null)), asked, scheduler.nanos());
          }
          asking.set(null);
          mine.complete(null);
        });
    return mine;
  }
}
