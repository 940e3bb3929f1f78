package io.ensemble.cache.mwmr;

import io.ensemble.cache.Payload;
import io.ensemble.register.Cell;
import io.ensemble.register.VersionedCell;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The stored forms of one call's cells. Sites mostly return, and are sent, the same bytes; equal
 * bytes are decoded and encoded once. Guarded by the call.
 */
final class CellCache {

  private @Nullable Cell<Payload> lastEncoded;
  private @Nullable Bytes lastEncodedBytes;
  private @Nullable Cell<Payload> lastDecoded;
  private @Nullable Bytes lastDecodedBytes;

  Bytes encode(Cell<Payload> cell) {
    Bytes encoded = lastEncodedBytes;
    if (encoded == null || !cell.equals(lastEncoded)) {
      encoded = CellCodec.encode(cell);
      lastEncoded = cell;
      lastEncodedBytes = encoded;
    }
    return encoded;
  }

  /** Decodes a site's entry; fails with {@link io.ensemble.envelope.MalformedEnvelopeException}. */
  VersionedCell<Payload> decode(Optional<StoredEntry> entry) {
    if (entry.isEmpty()) {
      return new VersionedCell<>(Cell.absent(), 0);
    }
    StoredEntry stored = entry.get();
    Cell<Payload> cell = lastDecoded;
    if (cell == null || !Objects.equals(stored.value(), lastDecodedBytes)) {
      cell = CellCodec.decode(stored.value());
      lastDecoded = cell;
      lastDecodedBytes = stored.value();
    }
    return new VersionedCell<>(cell, stored.version());
  }
}
