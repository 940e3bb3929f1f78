package io.ensemble.jcache;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import java.util.Objects;
import java.util.Optional;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.MutableConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * A configuration of JCache that says which Ensemble cache holds the entries. Any other
 * configuration asks for mode {@link Mode#MWMR}, and for no listeners, unless the properties of the
 * cache manager say otherwise.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public final class EnsembleConfiguration<K, V> extends MutableConfiguration<K, V> {

  private static final long serialVersionUID = 1L;

  private final Mode mode;
  private final transient @Nullable CacheDefinition definition;
  private boolean localListeners;

  /**
   * Asks for a cache in {@code mode}. An existing cache is opened if that is its mode; otherwise
   * {@code createCache} fails. A new cache has the sites of the cache manager's default.
   */
  public EnsembleConfiguration(Mode mode) {
    this.mode = Objects.requireNonNull(mode, "mode");
    this.definition = null;
  }

  /**
   * Asks for a cache with these settings, under the name that is given to {@code createCache}. An
   * existing cache is opened if its settings are equal; otherwise {@code createCache} fails.
   */
  public EnsembleConfiguration(CacheDefinition definition) {
    this.mode = definition.mode();
    this.definition = definition;
  }

  private EnsembleConfiguration(
      CompleteConfiguration<K, V> settings, EnsembleConfiguration<?, ?> other) {
    super(settings);
    this.mode = other.mode;
    this.definition = other.definition;
    this.localListeners = other.localListeners;
  }

  /** A copy of {@code other}, with its settings of JCache. */
  static <K, V> EnsembleConfiguration<K, V> copyOf(EnsembleConfiguration<K, V> other) {
    return new EnsembleConfiguration<>(other, other);
  }

  /** The mode of the cache. */
  public Mode mode() {
    return mode;
  }

  /** The settings of the cache; empty if only the mode is given. */
  public Optional<CacheDefinition> definition() {
    return Optional.ofNullable(definition);
  }

  /**
   * Accepts listeners, which receive only the events of operations on this cache object. Operations
   * of other processes, and expiries, raise no event. By default, listeners are rejected.
   */
  public EnsembleConfiguration<K, V> setLocalListeners(boolean accepted) {
    localListeners = accepted;
    return this;
  }

  /** Whether listeners are accepted. */
  public boolean hasLocalListeners() {
    return localListeners;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof EnsembleConfiguration<?, ?> that
        && super.equals(other)
        && mode == that.mode
        && Objects.equals(definition, that.definition)
        && localListeners == that.localListeners;
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), mode, definition, localListeners);
  }
}
