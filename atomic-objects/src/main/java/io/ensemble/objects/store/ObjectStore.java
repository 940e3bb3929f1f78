package io.ensemble.objects.store;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Entries of bytes under names, each linearizable. Thread-safe. A stage that fails says nothing of
 * whether the request was carried out, or will be. Stages may complete on any thread, which their
 * users leave at once.
 */
public interface ObjectStore {

  /**
   * An entry as it was read.
   *
   * @param value its bytes, not to be changed
   * @param token by which {@link #replace} knows that it is still the same one
   */
  record Entry(byte[] value, Object token) {}

  /**
   * What a replacement came to.
   *
   * @param done whether it was told to be done; where it was not, it may have been done all the
   *     same
   * @param token of the new entry, if the store tells it
   */
  record Replaced(boolean done, Optional<Object> token) {}

  /**
   * An event.
   *
   * @param key whose entry may have changed
   * @param entry what was written there, with its token, if the store tells; by now it may have
   *     been replaced, or have been undone before anybody could read it
   */
  record Change(String key, Optional<Entry> entry) {}

  /** The entry under a name; empty if there is none. Never older than what has ended before. */
  CompletionStage<Optional<Entry>> read(String key);

  /** Writes an entry if there is none. What it came to is to be read. */
  CompletionStage<Void> create(String key, byte[] value);

  /** Writes an entry in the place of one that was read. */
  CompletionStage<Replaced> replace(String key, Object token, byte[] value);

  /** Writes an entry. */
  CompletionStage<Void> put(String key, byte[] value);

  /** Removes an entry, if there is one. */
  CompletionStage<Void> remove(String key);

  /**
   * Walks over the keys of entries that begin with {@code prefix}, one page at a time, as the
   * caller goes on: not a moment's picture. An entry that is there throughout is met, perhaps more
   * than once. Its methods wait for the store, and throw what it fails with; to be closed, and used
   * by one thread at a time. Costs a walk over all keys of the store.
   */
  CloseableIterator<String> keys(String prefix);

  /**
   * Tells of entries that may have changed: perhaps twice, late, or not at all. Called on the
   * store's own threads, which {@code listener} must not hold up.
   *
   * @return to stop; empty if this store has no events
   */
  Optional<AutoCloseable> watch(Consumer<Change> listener);
}
