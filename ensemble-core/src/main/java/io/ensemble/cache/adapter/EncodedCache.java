package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.PrivateCacheException;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.cache.encryption.EncryptingEngine;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.register.Update;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A cache as its encoded keys and values, with the time at which each value expires. For programs
 * that copy a cache without the schemas of its types. Reads and writes are those of the cache, with
 * the guarantees of its mode; each call has the cache's deadline. Thread-safe.
 */
public final class EncodedCache {

  /**
   * A live entry.
   *
   * @param key as {@link io.ensemble.codec.Codec} encodes it
   * @param value the same
   * @param expiryMicros when the value expires, in microseconds since 1970; 0 for never
   */
  public record EncodedEntry(Bytes key, Bytes value, long expiryMicros) {

    private Payload payload() {
      return new Payload(value, expiryMicros);
    }
  }

  /** An iteration over the live entries. Not for concurrent callers. */
  public interface EncodedScan extends AutoCloseable {

    /**
     * The next entries; empty at the end. Each key that is present throughout is returned once. A
     * failed call may be repeated, and continues at the same position.
     */
    CompletionStage<List<EncodedEntry>> next();

    @Override
    void close();
  }

  /** How many entries a batch has: fewer than elsewhere, because all their values are returned. */
  private static final int BATCH = 64;

  private final CacheContext cacheContext;
  private final CallRunner calls;

  EncodedCache(CacheContext cacheContext) {
    this.cacheContext = cacheContext;
    this.calls = new CallRunner(cacheContext, cacheContext.definition().deadline());
    if (calls.engine() instanceof EncryptingEngine) {
      throw encrypted();
    }
  }

  /** The present definition of the cache. */
  public CacheDefinition definition() {
    return cacheContext.definition();
  }

  /** Begins an iteration; the caller closes it. */
  public EncodedScan scan() {
    EntryScan scan = GenerationEntries.without(calls.engine().scan(BATCH));
    return new EncodedScan() {
      @Override
      public CompletionStage<List<EncodedEntry>> next() {
        calls.engine(); // Fails once the cache is closed.
        return calls.read(
            "scan",
            scan.next(calls.deadline()),
            batch -> batch.stream().map(one -> entry(one.key(), one.value())).toList());
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  /**
   * Writes an entry unconditionally. Repeating the call after a failure is safe.
   *
   * @throws IllegalArgumentException if the key or the value is over the cache's limit
   */
  public CompletionStage<@Nullable Void> put(EncodedEntry entry) {
    checkSize(entry);
    return OutcomeConverter.valueOf(
        definition().name(),
        calls.write("put", calls.forKeys().write(entry.key(), entry.payload(), calls.deadline())));
  }

  /**
   * Writes an entry if its key is absent. After an unknown outcome a repeated call finds the entry
   * that the first one wrote.
   *
   * @return the entry that was present; empty if the entry was written, or if in WEAK mode a later
   *     write has replaced it
   * @throws IllegalArgumentException if the key or the value is over the cache's limit
   */
  public CompletionStage<Optional<EncodedEntry>> putIfAbsent(EncodedEntry entry) {
    checkSize(entry);
    Update<Payload, Payload> update =
        current ->
            current == null
                ? Update.Decision.write(entry.payload(), null)
                : Update.Decision.keep(current);
    return OutcomeConverter.valueOf(
            definition().name(),
            calls.write(
                "put_if_absent", calls.forKeys().update(entry.key(), update, calls.deadline())))
        .thenApply(found -> Optional.ofNullable(found).map(one -> entry(entry.key(), one)));
  }

  private void checkSize(EncodedEntry entry) {
    int size = Math.max(entry.key().size(), entry.value().size());
    int limit = definition().maxValueBytes();
    if (size > limit) {
      throw new IllegalArgumentException(
          "an encoded key or value must have at most %d bytes; got %d; cache=%s"
              .formatted(limit, size, definition().name()));
    }
  }

  private EncodedEntry entry(Bytes key, Payload payload) {
    if (payload.encrypted()) {
      throw encrypted();
    }
    return new EncodedEntry(key, payload.value(), payload.endMicros());
  }

  private PrivateCacheException encrypted() {
    return new PrivateCacheException(
        PrivateCacheException.Reason.ENCRYPTED, cacheContext.definition().name());
  }
}
