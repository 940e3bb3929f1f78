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
 * @param references where each one is, by the name of its cache
 */
public record Keysets(Map<String, KeysetReference> references) {

  /** None. */
  public static final Keysets NONE = new Keysets(Map.of());

  public Keysets {
    references = Map.copyOf(references);
  }

  /**
   * What users of a cache call, given what holds it. Looks for no keyset before it is used, so that
   * who only cares for a cache needs none.
   *
   * @param birth which creation of the cache it is
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
   * Fails, before a cache is made, if it could not be used.
   *
   * @throws PrivateCacheException if it is private without a keyset, or the other way round, or the
   *     keyset is for other privacy
   * @throws io.ensemble.keyset.KeysetException if it cannot be had
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
