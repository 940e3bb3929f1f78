package io.ensemble.migrate;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.cache.Payload;
import io.ensemble.cache.distributed.GenerationReader;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.repartition.GenerationMark;
import io.ensemble.repartition.RepartitionRules;
import io.ensemble.repartition.RepartitionStateMachine;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The actions of one turn of a mover of keys in the parts. Thread-safe. */
public final class RepartitionExecutor {

  /** The maximum number of keys that are moved concurrently. */
  private static final int AT_ONCE = 64;

  private static final Duration LONGEST = Duration.ofSeconds(10);

  /**
   * The parts of a cache, former and new ones.
   *
   * @param engines their engines by name; each may throw once the part is closed
   * @param from the name of a key's former part
   * @param to the name of its new one
   */
  public record Parts(
      Map<String, Supplier<CacheEngine>> engines,
      Function<Bytes, String> from,
      Function<Bytes, String> to) {

    CacheEngine engine(String part) {
      Supplier<CacheEngine> supplier = engines.get(part);
      if (supplier == null) {
        throw new AssertionError("a mover must have all parts; part=" + part);
      }
      return supplier.get();
    }
  }

  /** The mover is no longer the owner, or cannot verify that it is. The action had no effect. */
  static final class NotOwnerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotOwnerException(String part) {
      super("the mover may no longer own the repartition; part=" + part);
    }
  }

  private final RepartitionRules rules;
  private final Scheduler scheduler;
  private final Parts parts;
  private final Bytes markKey;
  private final GenerationMark ownMark;
  private final RepartitionStateMachine stateMachine;
  private final Map<String, GenerationReader> readers = new ConcurrentHashMap<>();
  private final AtomicLong moved = new AtomicLong();
  private volatile boolean isEnded;

  /**
   * @param birth the birth of the distributed cache
   * @param ownMark the mark of this turn
   */
  RepartitionExecutor(
      RepartitionRules rules,
      Scheduler scheduler,
      Parts parts,
      String birth,
      GenerationMark ownMark,
      RepartitionStateMachine stateMachine) {
    this.rules = rules;
    this.scheduler = scheduler;
    this.parts = parts;
    this.markKey = GenerationEntries.key(birth);
    this.ownMark = ownMark;
    this.stateMachine = stateMachine;
  }

  /** The mover has ended: no further key is moved. */
  void end() {
    isEnded = true;
  }

  long moved() {
    return moved.get();
  }

  /** Writes marks into these parts; fails unless all are in place. */
  CompletionStage<?> mark(Set<String> partNames) {
    return CompletableFuture.allOf(
        partNames.stream()
            .map(part -> mark(part).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  private CompletionStage<?> mark(String part) {
    Update<Payload, Payload> update =
        current ->
            GenerationEntries.of(current).compareTo(ownMark) >= 0
                ? Decision.keep(current)
                : Decision.write(GenerationEntries.payload(ownMark), null);
    return parts
        .engine(part)
        .update(markKey, update, requestDeadline())
        .thenAcceptAsync(
            outcome -> {
              Payload previousMark = requireApplied(outcome, part);
              if (previousMark != null && !GenerationEntries.of(previousMark).equals(ownMark)) {
                throw new NotOwnerException(part);
              }
              synchronized (stateMachine) {
                stateMachine.marked(part, scheduler.nanos());
              }
            },
            scheduler);
  }

  /** Moves the moving share out of a part; fails unless no key is left. */
  CompletionStage<?> move(String part) {
    EntryScan scan = parts.engine(part).scan(AT_ONCE);
    return AsyncLoop.whileTrue(
            scheduler,
            () -> scan.next(requestDeadline()).thenCompose(entries -> move(part, entries)))
        .whenComplete((done, failure) -> scan.close())
        .thenRunAsync(
            () -> {
              synchronized (stateMachine) {
                stateMachine.emptied(part);
              }
            },
            scheduler);
  }

  private CompletionStage<Boolean> move(String part, List<Entry> entries) {
    return CompletableFuture.allOf(
            entries.stream()
                .map(Entry::key)
                .filter(key -> isToMove(part, key))
                .map(key -> move(part, key).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> !entries.isEmpty());
  }

  private boolean isToMove(String part, Bytes key) {
    return !GenerationEntries.isOne(key)
        && parts.from().apply(key).equals(part)
        && !parts.to().apply(key).equals(part);
  }

  /**
   * Moves one key. A later mover may repeat this with the same result, however much of it was done.
   */
  private CompletionStage<Boolean> move(String part, Bytes key) {
    GenerationReader reader =
        readers.computeIfAbsent(
            part,
            name ->
                new GenerationReader(rules.trust(), () -> parts.engine(name), markKey, scheduler));
    reader.use();
    return awaitOwnership(part, reader)
        .thenCompose(done -> parts.engine(part).read(key, requestDeadline()))
        .thenCompose(
            value ->
                value.isEmpty()
                    ? CompletableFuture.completedFuture(true)
                    : move(part, key, value, reader));
  }

  private CompletionStage<Boolean> awaitOwnership(String part, GenerationReader reader) {
    return isOwner(reader)
        ? CompletableFuture.completedFuture(true)
        : reader
            .heard(requestDeadline())
            .thenApply(
                done -> {
                  requireOwnership(part, reader);
                  return true;
                });
  }

  private CompletionStage<Boolean> move(
      String part, Bytes key, Optional<Payload> value, GenerationReader reader) {
    String target = parts.to().apply(key);
    Update<Payload, Payload> put =
        current -> {
          requireOwnership(part, reader);
          // Also over a value that a paused mover may have left.
          return Decision.write(value.orElseThrow(), null);
        };
    Update<Payload, Payload> remove =
        current -> {
          requireOwnership(part, reader);
          return current == null ? Decision.keep(null) : Decision.write(null, null);
        };
    return parts
        .engine(target)
        .update(key, put, requestDeadline())
        .thenCompose(
            outcome -> {
              requireApplied(outcome, target);
              return parts.engine(part).update(key, remove, requestDeadline());
            })
        .thenApply(
            outcome -> {
              requireApplied(outcome, part);
              moved.incrementAndGet();
              return true;
            });
  }

  private boolean isOwner(GenerationReader reader) {
    return !isEnded && rules.mayMove(reader.trust(), ownMark, scheduler.nanos());
  }

  private void requireOwnership(String part, GenerationReader reader) {
    if (!isOwner(reader)) {
      throw new NotOwnerException(part);
    }
  }

  /** The result of an update; fails unless the update was certainly applied. */
  private static @Nullable Payload requireApplied(WriteOutcome<Payload> outcome, String part) {
    if (outcome instanceof WriteOutcome.Applied<Payload> applied) {
      return applied.result();
    }
    if (outcome instanceof WriteOutcome.Refused<Payload> refused) {
      throw new QuorumUnavailableException(part, refused.why());
    }
    throw outcome instanceof WriteOutcome.Unknown<Payload> unknown
        ? new UnknownOutcomeException(part, unknown.why())
        : new IllegalStateException(
            "the part differs from the one that the cache was created with; part=" + part);
  }

  private Deadline requestDeadline() {
    return Deadline.after(LONGEST, scheduler);
  }
}
