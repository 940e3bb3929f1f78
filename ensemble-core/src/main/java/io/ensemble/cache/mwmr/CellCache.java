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

  private @Nullable Cell<Payload> sent;
  private @Nullable Bytes sentForm;
  private @Nullable Cell<Payload> shown;
  private @Nullable Bytes shownForm;

  Bytes encode(Cell<Payload> cell) {
    Bytes form = sentForm;
    if (form == null || !cell.equals(sent)) {
      form = CellCodec.encode(cell);
      sent = cell;
      sentForm = form;
    }
    return form;
  }

  /** Decodes a site's entry; fails with {@link io.ensemble.envelope.MalformedEnvelopeException}. */
  VersionedCell<Payload> seen(Optional<StoredEntry> entry) {
    if (entry.isEmpty()) {
      return new VersionedCell<>(Cell.absent(), 0);
    }
    StoredEntry stored = entry.get();
    Cell<Payload> cell = shown;
    if (cell == null || !Objects.equals(stored.value(), shownForm)) {
      cell = CellCodec.decode(stored.value());
      shown = cell;
      shownForm = stored.value();
    }
    return new VersionedCell<>(cell, stored.version());
  }
}
