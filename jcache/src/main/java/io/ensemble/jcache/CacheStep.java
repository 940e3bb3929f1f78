package io.ensemble.jcache;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The effect of an operation on the entry that it finds.
 *
 * @param kind of effect
 * @param value the new value, if one is written
 * @param result of the operation
 */
record CacheStep<V, R>(Kind kind, @Nullable V value, @Nullable R result) {

  /** The kinds of effects. */
  enum Kind {
    NONE,
    /** The entry is read, which may change its expiry. */
    ACCESS,
    /** A value of the application is written. */
    WRITE,
    /** A value of the cache loader is written: no cache writer, and no put in the statistics. */
    LOAD,
    REMOVE
  }

  static <V, R> CacheStep<V, R> none(@Nullable R result) {
    return new CacheStep<>(Kind.NONE, null, result);
  }

  static <V, R> CacheStep<V, R> access(@Nullable R result) {
    return new CacheStep<>(Kind.ACCESS, null, result);
  }

  static <V, R> CacheStep<V, R> write(V value, @Nullable R result) {
    return new CacheStep<>(Kind.WRITE, value, result);
  }

  static <V, R> CacheStep<V, R> load(V value, @Nullable R result) {
    return new CacheStep<>(Kind.LOAD, value, result);
  }

  static <V, R> CacheStep<V, R> remove(@Nullable R result) {
    return new CacheStep<>(Kind.REMOVE, null, result);
  }

  V newValue() {
    return Objects.requireNonNull(value, "value of a step that writes");
  }

  /**
   * A step that was carried out.
   *
   * @param present the value before; null if the key was absent
   * @param isStored whether the entry is in the cache now, or was updated; false if a new entry
   *     expired immediately
   */
  record Completed<V, R>(CacheStep<V, R> step, @Nullable V present, boolean isStored) {

    @Nullable R result() {
      return step.result();
    }

    boolean isHit() {
      return present != null;
    }

    /** Whether it counts as a put. */
    boolean isPut() {
      return step.kind() == Kind.WRITE && isStored;
    }

    boolean isRemoval() {
      return step.kind() == Kind.REMOVE && present != null;
    }
  }
}
