package io.ensemble.jcache;

import java.util.Objects;
import java.util.function.Supplier;
import javax.cache.processor.MutableEntry;
import org.jspecify.annotations.Nullable;

/** The entry that an entry processor sees and changes. Not thread-safe. */
final class ProcessedEntry<K, V> implements MutableEntry<K, V> {

  private final K key;
  private final boolean isPresent;
  private final Supplier<@Nullable V> loader;
  private @Nullable V value;
  private CacheStep.Kind kind = CacheStep.Kind.NONE;

  /**
   * @param present the value in the cache; null if the key is absent
   * @param loader returns the value of the cache loader for an absent value
   */
  ProcessedEntry(K key, @Nullable V present, Supplier<@Nullable V> loader) {
    this.key = key;
    this.value = present;
    this.isPresent = present != null;
    this.loader = loader;
  }

  @Override
  public K getKey() {
    return key;
  }

  @Override
  public @Nullable V getValue() {
    if (value != null) {
      if (kind == CacheStep.Kind.NONE) {
        kind = CacheStep.Kind.ACCESS;
      }
      return value;
    }
    value = loader.get();
    if (value != null) {
      kind = CacheStep.Kind.LOAD;
    }
    return value;
  }

  @Override
  public boolean exists() {
    return value != null;
  }

  @Override
  public void remove() {
    boolean isNew = !isPresent && (kind == CacheStep.Kind.WRITE || kind == CacheStep.Kind.LOAD);
    kind = isNew ? CacheStep.Kind.NONE : CacheStep.Kind.REMOVE;
    value = null;
  }

  @Override
  public void setValue(V wanted) {
    value = Objects.requireNonNull(wanted, "value");
    kind = CacheStep.Kind.WRITE;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new IllegalArgumentException("an entry cannot be unwrapped to " + type.getName());
  }

  /** The step that the processor has decided on. */
  <R> CacheStep<V, R> step(@Nullable R result) {
    boolean writes = kind == CacheStep.Kind.WRITE || kind == CacheStep.Kind.LOAD;
    return new CacheStep<>(kind, writes ? value : null, result);
  }
}
