package io.ensemble.cache.encryption;

import io.ensemble.CacheDefinition;
import io.ensemble.Privacy;
import io.ensemble.PrivateCacheException;
import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.cache.CacheEngine;
import io.ensemble.keyset.KeysetReference;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The keysets that a manager was given.
 *
 * @param references the place of each keyset, by the name of its cache
 */
public record Keysets(Map<String, KeysetReference> references) {

  /** No keysets. */
  public static final Keysets NONE = new Keysets(Map.of());

  public Keysets {
    references = Map.copyOf(references);
  }

  /**
   * Wraps {@code engine} in the engine that users of the cache call. The keyset is not loaded
   * before its first use, so maintenance of a cache needs no keyset.
   *
   * @param birth the birth of the cache
   * @param nowMicros microseconds since 1970
   */
  public CacheEngine users(
      CacheDefinition definition, String birth, CacheEngine engine, LongSupplier nowMicros) {
    boolean isPlain = !definition.privacy().isPrivate() && !has(definition.name());
    return isPlain
        ? engine
        : new EncryptingEngine(engine, () -> seal(definition, birth), nowMicros);
  }

  /**
   * Fails, before a cache is created, if the cache could not be used.
   *
   * @throws PrivateCacheException if the cache is private without a keyset, or has a keyset without
   *     being private, or the keyset is for another privacy
   * @throws io.ensemble.keyset.KeysetException if the keyset cannot be loaded
   */
  public void check(CacheDefinition definition) {
    if (definition.privacy().isPrivate()) {
      seal(definition, "");
    } else {
      checkNone(definition.name());
    }
  }

  /** Fails if there is a keyset for that cache, which is not private. */
  public void checkNone(String cache) {
    if (has(cache)) {
      throw new PrivateCacheException(Reason.NOT_PRIVATE, cache);
    }
  }

  private boolean has(String cache) {
    return references.containsKey(cache);
  }

  private CacheCipher seal(CacheDefinition definition, String birth) {
    String cache = definition.name();
    if (!definition.privacy().isPrivate()) {
      throw new PrivateCacheException(Reason.NOT_PRIVATE, cache);
    }
    KeysetReference reference = references.get(cache);
    if (reference == null) {
      throw new PrivateCacheException(Reason.NO_KEYSET, cache);
    }
    boolean names = definition.privacy() == Privacy.VALUES_AND_KEYS;
    return new CacheCipher(cache, birth, names, reference.get());
  }
}
