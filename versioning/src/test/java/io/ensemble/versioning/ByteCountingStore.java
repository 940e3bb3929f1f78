package io.ensemble.versioning;

import io.ensemble.objects.UnresponsiveStore;
import io.ensemble.objects.store.ObjectStore;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of entries that are read and written. */
final class ByteCountingStore extends UnresponsiveStore {

  private final AtomicLong read;
  private final AtomicLong written;

  ByteCountingStore(ObjectStore store, AtomicLong read, AtomicLong written) {
    super(store);
    this.read = read;
    this.written = written;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return super.read(key)
        .thenApply(
            found -> {
              found.ifPresent(entry -> read.addAndGet(entry.value().length));
              return found;
            });
  }

  @Override
  public CompletionStage<Void> create(String key, byte[] value) {
    written.addAndGet(value.length);
    return super.create(key, value);
  }

  @Override
  public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
    written.addAndGet(value.length);
    return super.replace(key, token, value);
  }

  @Override
  public CompletionStage<Void> put(String key, byte[] value) {
    written.addAndGet(value.length);
    return super.put(key, value);
  }
}
