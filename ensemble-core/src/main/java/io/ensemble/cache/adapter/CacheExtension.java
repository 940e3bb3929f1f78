package io.ensemble.cache.adapter;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.cache.encryption.EncryptingEngine;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * An open cache as a module sees it that puts a layer of its own between the callers and the
 * cache's engine. Thread-safe.
 */
public final class CacheExtension<K, V> {

  /** What lies between the callers of a view and the engine. Thread-safe. */
  @FunctionalInterface
  public interface CallLayer {

    /** The engine for a call on a single key, around {@code engine}, whose keys are unencrypted. */
    CacheEngine around(CacheEngine engine);

    /** Called when a call of {@code clear} begins, and again before its caller learns its end. */
    default void clearing() {}
  }

  private final CacheAdapter<K, V> view;

  private CacheExtension(CacheAdapter<K, V> view) {
    this.view = view;
  }

  /**
   * Extends {@code cache}.
   *
   * @throws IllegalArgumentException if the cache was not opened by a manager
   */
  public static <K, V> CacheExtension<K, V> of(EnsembleCache<K, V> cache) {
    if (cache instanceof CacheAdapter<K, V> view) {
      return new CacheExtension<>(view);
    }
    throw new IllegalArgumentException(
        "expected a cache that an EnsembleCacheManager opened; got " + cache.getClass().getName());
  }

  /**
   * A view whose calls on single keys pass through {@code layer} before they are recorded. Its
   * scans, streams and registrations are those of the cache.
   *
   * @param layer replaces the layer that this view has
   */
  public EnsembleCache<K, V> through(CallLayer layer) {
    return new CacheAdapter<>(
        view.session().below(layer), view.deadline(), view.face().returnValues());
  }

  /** The present definition of the cache. */
  public CacheDefinition definition() {
    return view.definition();
  }

  /** The scheduler on which the calls of the cache complete. */
  public Scheduler scheduler() {
    return view.session().scheduler();
  }

  /** The clock that lifespans count from, in microseconds since 1970. */
  public LongSupplier epochMicros() {
    return view.session().epochMicros();
  }

  /**
   * The engine for calls on single keys, without the layer of the view.
   *
   * @throws IllegalStateException if the cache is closed
   */
  public CacheEngine engine() {
    return view.face().calls().recorded();
  }

  /** The deadline of a call that begins now. */
  public Deadline deadline() {
    return view.face().calls().deadline();
  }

  /**
   * Encodes a key.
   *
   * @throws IllegalArgumentException if its type has no schema in this process
   */
  public Bytes encoded(Object key) {
    return view.face().cells().key(key);
  }

  /**
   * Decodes a key.
   *
   * @throws IllegalStateException if its type has no schema in this process
   */
  public Object decoded(Bytes key) {
    return view.face().cells().key(key);
  }

  /**
   * The means to see the changes of the cache, with keys and values as sites hold them.
   *
   * @throws UnsupportedOperationException if changes of the cache cannot be seen
   * @throws IllegalStateException if the cache is closed
   */
  public Optional<ChangeSource> changes() {
    return view.face().calls().engine().changes();
  }

  /** The unencrypted key that sites hold as {@code stored}. */
  public Bytes keyOf(Bytes stored) {
    return view.session().engine() instanceof EncryptingEngine encrypting
        ? encrypting.openedKey(stored)
        : stored;
  }

  /** The unencrypted value of {@code key} that sites hold as {@code stored}. */
  public Payload valueOf(Bytes key, Payload stored) {
    return view.session().engine() instanceof EncryptingEngine encrypting
        ? encrypting.opened(key, stored)
        : stored;
  }
}
