package io.ensemble.cache.encryption;

import io.ensemble.PrivateCacheException;
import io.ensemble.Reencryption;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.sibling.Sibling;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * A pass over a private cache that encrypts anew each value under another key than the primary key.
 * A single operation of the engine reads, decrypts and writes a value, and so takes concurrent
 * writes into account. Under last-writer-wins, the new form has the stamp right after that of the
 * old form, so it replaces nothing else. Where siblings are kept, the new form remains the same
 * write: a write that overwrites the old form anywhere overwrites the new form too. Steps must not
 * overlap.
 */
public final class Reencryptor implements AutoCloseable {

  private static final int BATCH = 64;
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  /** The fate of a value in this pass. */
  private enum ValueOutcome {
    GONE,
    PRESENT,
    DONE,
    LEFT
  }

  private final CacheEngine engine;
  private final CacheCipher cacheCipher;
  private final PassOptions options;
  private final EntryScan scan;
  private final int primary;

  // The fields below are guarded by this object's lock.
  private final TreeMap<String, Long> byKey = new TreeMap<>();
  private long keys;
  private long reencrypted;
  private long left;
  private long unreadable;

  /**
   * The options of a pass.
   *
   * @param siblings whether the cache keeps siblings
   * @param keysPerSecond the highest number of keys processed in a second; 0 for no limit
   * @param nowMicros microseconds since 1970
   */
  record PassOptions(
      boolean siblings, long keysPerSecond, Scheduler scheduler, LongSupplier nowMicros) {

    int batch() {
      return keysPerSecond == 0 ? BATCH : (int) Math.min(BATCH, keysPerSecond);
    }
  }

  Reencryptor(CacheEngine engine, CacheCipher cacheCipher, PassOptions options) {
    this.engine = engine;
    this.cacheCipher = cacheCipher;
    this.options = options;
    this.primary = cacheCipher.keyset().primaryId();
    scan = engine.scan(options.batch());
  }

  /**
   * Processes the next few keys; false at the end. Fails as the cache's reads do. A failed write
   * fails the step unless its outcome is refused or unknown; an example is {@link
   * io.ensemble.WriterPresentException}. After a failure the pass may be started again. To keep to
   * its rate, a step may take up to a second.
   */
  public CompletionStage<Boolean> step(Deadline deadline) {
    long begin = options.scheduler().nanos();
    return scan.next(deadline)
        .thenCompose(
            found ->
                CompletableFuture.allOf(
                        found.stream()
                            .map(entry -> look(entry, deadline).toCompletableFuture())
                            .toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> found.size()))
        .thenCompose(met -> met == 0 ? done(false) : paced(begin, met));
  }

  private CompletionStage<Boolean> paced(long begin, int met) {
    long rate = options.keysPerSecond();
    long wait = rate == 0 ? 0 : begin + met * SECOND / rate - options.scheduler().nanos();
    if (wait <= 0) {
      return done(true);
    }
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    options.scheduler().after(wait, () -> later.complete(true));
    return later;
  }

  private static CompletionStage<Boolean> done(boolean more) {
    return CompletableFuture.completedFuture(more);
  }

  private CompletionStage<Void> look(EntryScan.Entry entry, Deadline deadline) {
    int under;
    try {
      under = cacheCipher.sealed(entry.value()).keyId();
      if (under == primary && !options.siblings()) {
        cacheCipher.open(cacheCipher.key(entry.key()), entry.value()); // The id proves nothing.
      }
    } catch (PrivateCacheException strange) {
      isUnreadable();
      return CompletableFuture.completedFuture(null);
    }
    if (under == primary && !options.siblings()) {
      count(ValueOutcome.PRESENT, under);
      return CompletableFuture.completedFuture(null);
    }
    return outcome(entry.key(), deadline)
        .handle(
            (outcome, failure) -> {
              if (failure == null) {
                count(fate(outcome), under);
              } else if (isOfTheEntry(CompletionCause.of(failure))) {
                isUnreadable();
                count(under);
              } else { // E.g. another writer; all other keys would fail too.
                throw new CompletionException(CompletionCause.of(failure));
              }
              return null;
            });
  }

  private static boolean isOfTheEntry(Throwable failure) {
    return failure instanceof PrivateCacheException
        || failure instanceof MalformedEnvelopeException;
  }

  private static ValueOutcome fate(WriteOutcome<ValueOutcome> outcome) {
    if (outcome instanceof WriteOutcome.Applied<ValueOutcome> applied && applied.result() != null) {
      return applied.result();
    }
    return outcome instanceof WriteOutcome.Superseded ? ValueOutcome.GONE : ValueOutcome.LEFT;
  }

  private CompletionStage<WriteOutcome<ValueOutcome>> outcome(Bytes stored, Deadline deadline) {
    Bytes key;
    try {
      key = cacheCipher.key(stored);
    } catch (PrivateCacheException strange) {
      return CompletableFuture.failedFuture(strange);
    }
    if (options.siblings()) {
      return engine.amend(stored, found -> renewed(key, found), deadline);
    }
    return engine.update(
        stored,
        found -> {
          if (found == null) {
            return Decision.keep(ValueOutcome.GONE);
          }
          return isPresent(found)
              ? Decision.keep(ValueOutcome.PRESENT)
              : Decision.write(
                  cacheCipher.closeAgain(key, cacheCipher.open(key, found)), ValueOutcome.DONE);
        },
        deadline);
  }

  /** Renews all live siblings. Users see only the latest, but all must be readable. */
  private SiblingUpdate.Decision<Payload, ValueOutcome> renewed(
      Bytes key, Siblings<Payload> found) {
    List<Sibling<Payload>> former = new ArrayList<>();
    boolean anyAlive = false;
    for (Sibling<Payload> one : found.alive()) {
      if (one.value().isOver(options.nowMicros().getAsLong())) {
        continue; // An expired value is not read again.
      }
      anyAlive = true;
      Payload plain = cacheCipher.open(key, one.value());
      if (!isPresent(one.value())) {
        former.add(new Sibling<>(one.actor(), one.stamp(), cacheCipher.closeAgain(key, plain)));
      }
    }
    return former.isEmpty()
        ? SiblingUpdate.Decision.keep(anyAlive ? ValueOutcome.PRESENT : ValueOutcome.GONE)
        : SiblingUpdate.Decision.renew(former, ValueOutcome.DONE);
  }

  private boolean isPresent(Payload found) {
    return cacheCipher.sealed(found).keyId() == primary;
  }

  private synchronized void count(ValueOutcome outcome, int under) {
    keys++;
    if (outcome == ValueOutcome.DONE) {
      reencrypted++;
    } else if (outcome == ValueOutcome.LEFT) {
      left++;
    }
    if (outcome != ValueOutcome.GONE) {
      count(outcome == ValueOutcome.LEFT ? under : primary);
    }
  }

  private synchronized void count(int under) {
    byKey.merge(Integer.toUnsignedString(under), 1L, Long::sum);
  }

  private synchronized void isUnreadable() {
    keys++;
    unreadable++;
  }

  /** The progress of the pass. */
  public synchronized Reencryption report() {
    return new Reencryption(keys, reencrypted, left, unreadable, byKey);
  }

  @Override
  public void close() {
    scan.close();
  }
}
