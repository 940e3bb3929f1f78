package io.ensemble.cache.weak.entry;

import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store of a private cache. A live value that is not encrypted is shown as malformed, because no
 * authorized process wrote it. Whatever its stamp, such an entry must neither win nor be copied,
 * and the next write replaces it.
 */
public record EncryptedStore(SiteStore store) implements SiteStore {

  /** Bytes that no version of the envelope uses. */
  private static final Bytes NO_ENTRY = Bytes.of((byte) 0);

  /** How a private cache treats {@code stored}. */
  public static Bytes shown(Bytes stored) {
    try {
      return EnvelopeCodec.isInClear(stored) ? NO_ENTRY : stored;
    } catch (MalformedEnvelopeException exception) {
      return stored;
    }
  }

  @Override
  public String site() {
    return store.site();
  }

  @Override
  public CompletionStage<Optional<StoredEntry>> read(Bytes key, Deadline deadline) {
    return store
        .read(key, deadline)
        .thenApply(
            stored -> stored.map(entry -> new StoredEntry(shown(entry.value()), entry.version())));
  }

  @Override
  public CompletionStage<Optional<Bytes>> get(Bytes key, Deadline deadline) {
    return store.get(key, deadline).thenApply(stored -> stored.map(EncryptedStore::shown));
  }

  @Override
  public CompletionStage<Boolean> putIfAbsent(Bytes key, Bytes value, Deadline deadline) {
    return store.putIfAbsent(key, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> replace(Bytes key, long version, Bytes value, Deadline deadline) {
    return store.replace(key, version, value, deadline);
  }

  @Override
  public CompletionStage<Boolean> remove(Bytes key, long version, Deadline deadline) {
    return store.remove(key, version, deadline);
  }

  @Override
  public CompletionStage<Void> put(Bytes key, Bytes value, Deadline deadline) {
    return store.put(key, value, deadline);
  }

  @Override
  public CompletionStage<Optional<Bytes>> getAndPut(Bytes key, Bytes value, Deadline deadline) {
    return store
        .getAndPut(key, value, deadline)
        .thenApply(stored -> stored.map(EncryptedStore::shown));
  }

  @Override
  public Scan scan(int batchSize) {
    Scan scan = store.scan(batchSize);
    return new Scan() {
      @Override
      public CompletionStage<List<Item>> next(Deadline deadline) {
        return scan.next(deadline)
            .thenApply(
                items ->
                    items.stream().map(item -> new Item(item.key(), shown(item.value()))).toList());
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }
}
