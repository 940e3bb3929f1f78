package io.ensemble.cache.encryption;

import io.ensemble.InDoubtWrites;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.sibling.ActorVersionVector;
import io.ensemble.sibling.Sibling;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine that users of a private cache call; the engine below holds encrypted entries.
 * Conditions are decided on decrypted values inside the operation of the engine below, and so are
 * equally atomic. A value that cannot be decrypted fails the operation with {@link
 * io.ensemble.PrivateCacheException}, and nothing is written. Thread-safe.
 */
public final class EncryptingEngine implements CacheEngine, WindowedEngine {

  private final CacheEngine inner;
  private final Supplier<CacheCipher> opening;
  private final LongSupplier nowMicros;
  private volatile @Nullable CacheCipher opened;
  private volatile @Nullable KeyFingerprints fingerprints;

  EncryptingEngine(CacheEngine inner, Supplier<CacheCipher> opening, LongSupplier nowMicros) {
    this.inner = inner;
    this.opening = opening;
    this.nowMicros = nowMicros;
  }

  /** The engine below, which has no encryption key. */
  public CacheEngine inner() {
    return inner;
  }

  /**
   * The engine that counts and removes entries whether or not they can be decrypted: the engine
   * below {@code engine}, with stored keys, or {@code engine} itself if the cache is not private.
   */
  public static CacheEngine unread(CacheEngine engine) {
    if (engine instanceof EncryptingEngine sealing) {
      sealing.check();
      return sealing.inner();
    }
    return engine;
  }

  /**
   * Loads the keyset, unless already loaded.
   *
   * @throws io.ensemble.PrivateCacheException if there is no keyset, or the cache is not private
   * @throws io.ensemble.keyset.KeysetException if the keyset cannot be loaded
   */
  public void check() {
    seal();
  }

  CacheCipher seal() {
    CacheCipher known = opened;
    if (known == null) {
      known = opening.get();
      opened = known;
    }
    return known;
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    CacheCipher seal = seal();
    return inner
        .read(seal.stored(key), deadline)
        .thenApply(found -> found.map(value -> seal.open(key, value)));
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    CacheCipher seal = seal();
    return inner.write(seal.stored(key), value == null ? null : seal.close(key, value), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    CacheCipher seal = seal();
    Update<Payload, R> sealed =
        found -> {
          Decision<Payload, R> decision =
              update.decide(found == null ? null : seal.open(key, found));
          Payload value = decision.value();
          return decision.writes() && value != null
              ? Decision.write(seal.close(key, value), decision.result())
              : decision;
        };
    return inner.update(seal.stored(key), sealed.withHintOf(update), deadline);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return new DecryptingScan(seal(), inner.scan(batchSize));
  }

  /** Decrypts no value. */
  @Override
  public EntryScan scanKeys(int batchSize) {
    CacheCipher seal = seal();
    EntryScan stored = inner.scanKeys(batchSize);
    return new EntryScan() {
      @Override
      public CompletionStage<List<Entry>> next(Deadline deadline) {
        return stored
            .next(deadline)
            .thenApply(
                found ->
                    found.stream()
                        .map(one -> new Entry(seal.key(one.key()), one.value()))
                        .toList());
      }

      @Override
      public void close() {
        stored.close();
      }
    };
  }

  /** Costs one more read for each key. */
  @Override
  public EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    return new DecryptingScan(seal(), inner.scan(batchSize)).shownBy(this, shown);
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    CacheCipher seal = seal();
    return inner.siblings(seal.stored(key), deadline).thenApply(found -> opened(seal, key, found));
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    CacheCipher seal = seal();
    return inner.amend(
        seal.stored(key),
        found -> {
          SiblingUpdate.Decision<Payload, R> decision =
              siblingUpdate.decide(opened(seal, key, found));
          ActorVersionVector overwritten = decision.overwritten();
          Payload value = decision.value();
          return overwritten != null && value != null
              ? SiblingUpdate.Decision.write(overwritten, seal.close(key, value), decision.result())
              : decision;
        },
        deadline);
  }

  /** Expired values are left out, so they need not be readable. */
  private Siblings<Payload> opened(CacheCipher seal, Bytes key, Siblings<Payload> found) {
    List<Sibling<Payload>> alive = new ArrayList<>();
    for (Sibling<Payload> one : found.alive()) {
      if (!one.value().isOver(nowMicros.getAsLong())) {
        alive.add(new Sibling<>(one.actor(), one.stamp(), seal.open(key, one.value())));
      }
    }
    return new Siblings<>(found.last(), found.seen(), alive);
  }

  /** As sites hold the entries: see {@link #openedKey}. */
  @Override
  public Optional<ChangeSource> changes() {
    seal();
    return inner.changes();
  }

  /** The user's key that sites store as {@code stored}. */
  public Bytes openedKey(Bytes stored) {
    return seal().key(stored);
  }

  /**
   * An HMAC of a user's {@code key}, which names the key to readers that must not see it. The same
   * for all processes with the keyset, until the oldest key of the keyset is removed.
   */
  @Override
  public Bytes recordedKey(Bytes key) {
    KeyFingerprints known = fingerprints;
    if (known == null) {
      known = seal().fingerprints();
      fingerprints = known;
    }
    return known.of(key);
  }

  /** The decrypted value of a user's {@code key}. */
  public Payload opened(Bytes key, Payload stored) {
    return seal().open(key, stored);
  }

  /** The key under which sites store the value of a user's {@code key}. */
  public Bytes stored(Bytes key) {
    return seal().stored(key);
  }

  /**
   * Begins a pass that encrypts every value with the primary encryption key.
   *
   * @param siblings whether the cache keeps siblings
   * @param keysPerSecond the highest number of keys processed in a second; 0 for no limit
   */
  public Reencryptor reencryptor(boolean siblings, long keysPerSecond, Scheduler scheduler) {
    return new Reencryptor(
        inner, seal(), new Reencryptor.PassOptions(siblings, keysPerSecond, scheduler, nowMicros));
  }

  @Override
  public State window() {
    return inner instanceof WindowedEngine windowedEngine
        ? windowedEngine.window()
        : new State(0, Duration.ZERO, 0);
  }

  @Override
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    CacheCipher seal = seal();
    return inner instanceof WindowedEngine windowedEngine
        ? windowedEngine.listen(report -> listener.accept(opened(seal, report)))
        : () -> {};
  }

  private static InDoubtWrites<Bytes> opened(CacheCipher seal, InDoubtWrites<Bytes> report) {
    return new InDoubtWrites<>(
        report.cache(),
        report.epoch(),
        report.fate(),
        report.writes().stream()
            .map(write -> new InDoubtWrites.Write<>(seal.key(write.key()), write.stamp()))
            .toList());
  }

  @Override
  public void close() {
    inner.close();
  }
}
