package io.ensemble.versioning;

/**
 * A versioned cache refused an operation, which had no effect. A failure of the store is an {@link
 * io.ensemble.objects.AtomicObjectException}, whose kind says whether the call was applied.
 */
public abstract sealed class VersioningException extends RuntimeException {

  private static final long serialVersionUID = 1;

  VersioningException(String message) {
    super(message);
  }

  /** The version has a value already. */
  public static final class VersionExists extends VersioningException {
    private static final long serialVersionUID = 1;

    VersionExists(Object key, Object version) {
      super("the version has a value already; version=" + version + " key=" + key);
    }
  }

  /** The version had to be above all others. */
  public static final class VersionNotAbove extends VersioningException {
    private static final long serialVersionUID = 1;

    VersionNotAbove(Object key, Object version, Object latest) {
      super(
          "version must be above all others; got "
              + version
              + "; latest is "
              + latest
              + "; key="
              + key);
    }
  }

  /** The key was read as of that version or a higher one, and the result of that read is stable. */
  public static final class VersionBelowSnapshot extends VersioningException {
    private static final long serialVersionUID = 1;

    VersionBelowSnapshot(Object key, Object version, Object snapshot) {
      super(
          "version must be above the snapshots that were read; got "
              + version
              + "; snapshot is "
              + snapshot
              + "; key="
              + key);
    }
  }

  /**
   * The version is ahead of this process's clock by more than the space accepts: every later
   * version of the key would have to be above it. Use a version near the present time, or check the
   * clocks.
   */
  public static final class VersionTooFarAhead extends VersioningException {
    private static final long serialVersionUID = 1;

    VersionTooFarAhead(Object key, Object version, Object now) {
      super(
          "the version is too far ahead of this process's clock; version="
              + version
              + " clock="
              + now
              + " key="
              + key);
    }
  }

  /**
   * The versions of the key do not fit into its entry, with an index that moves nothing out of it
   * ({@link IndexType#BASELINE}). Remove versions ({@link VersionedCache#compact}, {@link
   * Retention}), or use a cache with another index.
   */
  public static final class KeyFull extends VersioningException {
    private static final long serialVersionUID = 1;

    KeyFull(Object key) {
      super(
          "the versions of a key with index BASELINE must have at most 960 KiB; compact the key, or "
              + "use index AUTO; key="
              + key);
    }
  }

  /** The version does not exist. */
  public static final class UnknownVersion extends VersioningException {
    private static final long serialVersionUID = 1;

    UnknownVersion(Object key, Object version) {
      super("the version does not exist; version=" + version + " key=" + key);
    }
  }

  /** The version is below the versions that compaction left. */
  public static final class VersionCompacted extends VersioningException {
    private static final long serialVersionUID = 1;

    VersionCompacted(Object key, Object version, Object horizon) {
      super(
          "the version was compacted; oldest is "
              + horizon
              + "; requested was "
              + version
              + "; key="
              + key);
    }
  }

  /** The cache was created with other settings. */
  public static final class OtherSettings extends VersioningException {
    private static final long serialVersionUID = 1;

    OtherSettings(String cache, String wanted, String found) {
      super(
          "the cache exists with other settings; expected "
              + wanted
              + "; found "
              + found
              + "; cache="
              + cache);
    }
  }

  /** Parts of the key's history were missing at each read: other processes move them. */
  public static final class TooManyChanges extends VersioningException {
    private static final long serialVersionUID = 1;

    TooManyChanges(Object key, Throwable cause) {
      super(cause.getMessage() + "; key=" + key);
      initCause(cause);
    }
  }

  /** An entry with a part of the key's history cannot be read. */
  public static final class PartUnreadable extends VersioningException {
    private static final long serialVersionUID = 1;

    PartUnreadable(Object key, Throwable cause) {
      super(cause.getMessage() + "; key=" + key);
      initCause(cause);
    }
  }

  /** The store does not respond; the request changes nothing. */
  public static final class StoreUnavailable extends VersioningException {
    private static final long serialVersionUID = 1;

    StoreUnavailable(Object key, Throwable cause) {
      super("the store does not answer: " + cause + "; key=" + key);
      initCause(cause);
    }
  }
}
