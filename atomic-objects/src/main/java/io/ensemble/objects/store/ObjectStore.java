package io.ensemble.objects.store;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Entries of bytes under names, each linearizable. Thread-safe. If a stage fails, the request may
 * have been executed, or may be executed later. Stages may complete on any thread; dependent stages
 * must leave that thread immediately.
 */
public interface ObjectStore {

  /**
   * An entry that was read.
   *
   * @param value its bytes, not to be changed
   * @param token identifies this version of the entry for {@link #replace}
   */
  record Entry(byte[] value, Object token) {}

  /**
   * The result of a replacement.
   *
   * @param done whether the store reported success; if not, the replacement may still have been
   *     made
   * @param token of the new entry, if the store reports it
   * @param found if not done, the entry at some time since the request, if the store reports it
   */
  record Replaced(boolean done, Optional<Object> token, Optional<Entry> found) {

    /** A result without the entry that was found. */
    public Replaced(boolean done, Optional<Object> token) {
      this(done, token, Optional.empty());
    }
  }

  /**
   * An event.
   *
   * @param key whose entry may have changed
   * @param entry the written entry with its token, if the store reports it; it may have been
   *     replaced by now, or undone before any process could read it
   */
  record Change(String key, Optional<Entry> entry) {}

  /**
   * Returns the entry under a name; empty if there is none. Includes every write that ended before.
   */
  CompletionStage<Optional<Entry>> read(String key);

  /** Writes an entry if there is none. The outcome must be read. */
  CompletionStage<Void> create(String key, byte[] value);

  /** Replaces an entry that was read. */
  CompletionStage<Replaced> replace(String key, Object token, byte[] value);

  /** Writes an entry. */
  CompletionStage<Void> put(String key, byte[] value);

  /**
   * Writes entries, each as {@link #put} does, in any order. If the stage fails, each may have been
   * written or not. A store may need fewer requests for them than for single writes.
   */
  default CompletionStage<Void> putAll(Map<String, byte[]> entries) {
    return CompletableFuture.allOf(
        entries.entrySet().stream()
            .map(entry -> put(entry.getKey(), entry.getValue()).toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  /** Removes an entry, if there is one. */
  CompletionStage<Void> remove(String key);

  /**
   * Iterates over the keys that begin with {@code prefix}, one page at a time as the caller
   * proceeds; not a snapshot. An entry that exists throughout is returned, perhaps more than once.
   * The methods of the iterator block on the store, and throw its failures. The iterator must be
   * closed, and used by one thread at a time. Costs an iteration over all keys of the store.
   */
  CloseableIterator<String> keys(String prefix);

  /**
   * Reports entries that may have changed: perhaps twice, late, or not at all. Called on threads of
   * the store, which {@code listener} must not block.
   *
   * @return closes the listener; empty if this store has no events
   */
  Optional<AutoCloseable> watch(Consumer<Change> listener);
}
