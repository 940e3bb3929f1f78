package io.ensemble;

import java.util.Locale;
import java.util.OptionalInt;

/**
 * A {@linkplain Privacy private} cache could not be opened, or an entry in it failed verification.
 * Nothing was written, and no other value was returned for the unreadable one. {@link #reason()}
 * gives the reason. A retry alone changes nothing, unless another site answers it.
 */
public final class PrivateCacheException extends EnsembleException {

  private static final long serialVersionUID = 1L;

  /** The reason of the failure. */
  public enum Reason {
    /** The cache is private, and the manager was given no keyset for it. */
    NO_KEYSET("a private cache requires a keyset"),
    /** A keyset was given for a cache that is not private: sites would see every value. */
    NOT_PRIVATE("a keyset was given, but the cache is not private"),
    /** Key names are encrypted, and the keyset has no key for names. */
    NO_NAMES_KEY("a cache with private keys requires a keyset that has a key for names"),
    /**
     * The keyset has a key for names, but the cache does not encrypt names: sites would see them.
     */
    NAMES_KEY("the keyset has a key for names, but the keys of the cache are not private"),
    /** The entry is encrypted with a key that the keyset does not have. */
    NO_SUCH_KEY("the keyset has no key with this id"),
    /** The entry is not encrypted, so no client of this cache wrote it. */
    PLAINTEXT("the entry of a private cache is not encrypted"),
    /** The entry was changed without the key, or belongs to another key or another cache. */
    NOT_AUTHENTIC("the entry was not written under this key in this cache"),
    /** The cache is not private, and the entry is encrypted. */
    ENCRYPTED("the entry is encrypted, but the cache is not private");

    private final String what;

    Reason(String what) {
      this.what = what;
    }
  }

  private final Reason reason;
  private final OptionalInt keyId;

  private PrivateCacheException(Reason reason, String cache, OptionalInt keyId) {
    super(
        reason.what,
        cache,
        " reason="
            + reason.name().toLowerCase(Locale.ROOT)
            + (keyId.isPresent() ? " key-id=" + Integer.toUnsignedString(keyId.getAsInt()) : ""));
    this.reason = reason;
    this.keyId = keyId;
  }

  /**
   * @param reason the reason of the failure
   * @param cache the cache's name
   */
  public PrivateCacheException(Reason reason, String cache) {
    this(reason, cache, OptionalInt.empty());
  }

  /** The keyset of {@code cache} has no key {@code keyId}. */
  public static PrivateCacheException noSuchKey(String cache, int keyId) {
    return new PrivateCacheException(Reason.NO_SUCH_KEY, cache, OptionalInt.of(keyId));
  }

  /** The reason of the failure. */
  public Reason reason() {
    return reason;
  }

  /** The id of the missing key, an unsigned number; empty for other reasons. */
  public OptionalInt keyId() {
    return keyId;
  }
}
