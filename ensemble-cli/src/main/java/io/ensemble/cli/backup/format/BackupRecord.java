package io.ensemble.cli.backup.format;

import io.ensemble.site.Bytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record of a backup: an entry of a cache, or a version of a key of a versioned cache.
 *
 * @param key the encoded key
 * @param version the encoded version; empty for an entry
 * @param expiryMicros when the value expires, in microseconds since 1970; 0 for never
 * @param value the encoded value; null for a version that is a removal
 */
public record BackupRecord(Bytes key, Bytes version, long expiryMicros, @Nullable Bytes value) {

  private static final Bytes NO_VERSION = Bytes.of();

  /** Rejects an entry without a value. */
  public BackupRecord {
    if (version.size() == 0) {
      Objects.requireNonNull(value, "an entry has a value");
    }
  }

  /** An entry of a cache. */
  public static BackupRecord entry(Bytes key, Bytes value, long expiryMicros) {
    return new BackupRecord(key, NO_VERSION, expiryMicros, value);
  }

  /** A version of a key; {@code value} is null for a removal. */
  public static BackupRecord version(Bytes key, Bytes version, @Nullable Bytes value) {
    return new BackupRecord(key, version, 0, value);
  }
}
