package io.ensemble.check.objects;

import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.drive.ReferencedParts;
import io.ensemble.versioning.index.PackCodec;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/** Client programs of versioned caches whose store is faulty. */
final class PlantedVersions {

  private PlantedVersions() {}

  /** Writes the values of packs in reverse order. */
  static void swapValues(InputStream in, PrintStream out) throws Exception {
    ObjectProgram.run(
        in,
        out,
        store ->
            new Through(store) {
              @Override
              public CompletionStage<Void> put(String key, byte[] value) {
                return super.put(
                    key, key.startsWith(ReferencedParts.PREFIX) ? swapped(value) : value);
              }
            });
  }

  private static byte[] swapped(byte[] entry) {
    List<byte[]> values;
    try {
      values = new ArrayList<>(PackCodec.read(entry));
    } catch (IllegalArgumentException e) {
      return entry; // A shard.
    }
    Collections.reverse(values);
    return PackCodec.write(values, false);
  }

  /** Reports parts as removed, but keeps them. */
  static void keepParts(InputStream in, PrintStream out) throws Exception {
    ObjectProgram.run(
        in,
        out,
        store ->
            new Through(store) {
              @Override
              public CompletionStage<Void> remove(String key) {
                return key.startsWith(ReferencedParts.PREFIX)
                    ? CompletableFuture.completedFuture(null)
                    : super.remove(key);
              }
            });
  }

  private static class Through implements ObjectStore {
    private final ObjectStore store;

    Through(ObjectStore store) {
      this.store = store;
    }

    @Override
    public CompletionStage<Optional<Entry>> read(String key) {
      return store.read(key);
    }

    @Override
    public CompletionStage<Void> create(String key, byte[] value) {
      return store.create(key, value);
    }

    @Override
    public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
      return store.replace(key, token, value);
    }

    @Override
    public CompletionStage<Void> put(String key, byte[] value) {
      return store.put(key, value);
    }

    @Override
    public CompletionStage<Void> remove(String key) {
      return store.remove(key);
    }

    @Override
    public CloseableIterator<String> keys(String prefix) {
      return store.keys(prefix);
    }

    @Override
    public Optional<AutoCloseable> watch(Consumer<Change> listener) {
      return store.watch(listener);
    }
  }
}
