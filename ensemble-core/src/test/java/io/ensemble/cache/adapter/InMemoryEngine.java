package io.ensemble.cache.adapter;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** An engine over a map, which calls each update function twice and fails on request. */
public final class InMemoryEngine implements CacheEngine, RecoverableEngine {

  private final Map<Bytes, Payload> entries = new HashMap<>();
  private final Scheduler scheduler;
  private final LongSupplier micros;
  public final Queue<WriteOutcome<?>> nextOutcomes = new ConcurrentLinkedQueue<>();
  public final Queue<RuntimeException> nextFailures = new ConcurrentLinkedQueue<>();
  public final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
  public final AtomicInteger underWay = new AtomicInteger();
  public final AtomicInteger hintedUpdates = new AtomicInteger();
  public final AtomicInteger mostUnderWay = new AtomicInteger();
  public final AtomicInteger openScans = new AtomicInteger();
  public volatile boolean closed;
  public volatile boolean silent;
  public volatile Deadline lastDeadline;

  public InMemoryEngine(Scheduler scheduler, LongSupplier micros) {
    this.scheduler = scheduler;
    this.micros = micros;
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return later(deadline, () -> Optional.ofNullable(live(key)));
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(Bytes key, Payload value, Deadline deadline) {
    return later(
        deadline,
        () -> {
          WriteOutcome<?> told = nextOutcomes.poll();
          if (told != null) {
            return cast(told);
          }
          put(key, value);
          return new WriteOutcome.Applied<>(null, Stamp.NONE, true);
        });
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    hintedUpdates.addAndGet(update.expectsNextWrite() ? 1 : 0);
    return later(
        deadline,
        () -> {
          WriteOutcome<?> told = nextOutcomes.poll();
          decided(key, update);
          Decision<Payload, R> decision = decided(key, update);
          if (told != null) {
            return cast(told);
          }
          if (decision.writes()) {
            put(key, decision.value());
          }
          return new WriteOutcome.Applied<>(decision.result(), Stamp.NONE, decision.writes());
        });
  }

  private <R> Decision<Payload, R> decided(Bytes key, Update<Payload, R> update) {
    try {
      return update.decide(live(key));
    } catch (Throwable failure) {
      thrown.add(failure);
      throw failure;
    }
  }

  @Override
  public EntryScan scan(int batchSize) {
    openScans.incrementAndGet();
    List<Bytes> keys;
    synchronized (this) {
      keys = new ArrayList<>(entries.keySet());
    }
    Iterator<Bytes> rest = keys.iterator();
    return new EntryScan() {
      @Override
      public CompletionStage<List<Entry>> next(Deadline deadline) {
        return later(
            deadline,
            () -> {
              List<Entry> batch = new ArrayList<>();
              while (rest.hasNext() && batch.size() < batchSize) {
                Bytes key = rest.next();
                Payload live = live(key);
                if (live != null) {
                  batch.add(new Entry(key, live));
                }
              }
              return batch;
            });
      }

      @Override
      public void close() {
        openScans.decrementAndGet();
      }
    };
  }

  @Override
  public CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline) {
    return later(deadline, () -> (long) entries.size());
  }

  @Override
  public void close() {
    closed = true;
  }

  private Payload live(Bytes key) {
    Payload found = entries.get(key);
    return found == null || found.isOver(micros.getAsLong()) ? null : found;
  }

  private void put(Bytes key, Payload value) {
    if (value == null) {
      entries.remove(key);
    } else {
      entries.put(key, value.at(new Stamp(micros.getAsLong(), WriterId.NONE)));
    }
  }

  @SuppressWarnings("unchecked")
  private static <R> WriteOutcome<R> cast(WriteOutcome<?> told) {
    return (WriteOutcome<R>) told;
  }

  private <T> CompletionStage<T> later(Deadline deadline, Supplier<T> step) {
    lastDeadline = deadline;
    mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    CompletableFuture<T> result = new CompletableFuture<>();
    if (silent) {
      return result;
    }
    scheduler.execute(
        () -> {
          underWay.decrementAndGet();
          try {
            RuntimeException failure = nextFailures.poll();
            if (failure != null) {
              throw failure;
            }
            T value;
            synchronized (this) {
              value = step.get();
            }
            result.complete(value);
          } catch (RuntimeException e) {
            result.completeExceptionally(CompletionCause.of(e));
          }
        });
    return result;
  }
}
