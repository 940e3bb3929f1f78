package io.ensemble;

import io.ensemble.stamp.Stamp;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An event of a {@link ChangeStream}.
 *
 * @param <K> the keys' type
 * @param <V> the values' type
 */
public sealed interface ChangeEvent<K, V> {

  /** The effect of a change on its key, relative to the last change of the key that was shown. */
  enum Kind {
    /** The key had no value before. */
    CREATED,
    /** The key had a value before, or its former state is not known. */
    MODIFIED,
    /** The value was removed. */
    REMOVED,
    /** The value was removed because its lifespan had ended. */
    EXPIRED
  }

  /**
   * One chosen write of one key.
   *
   * @param kind the effect
   * @param key the key
   * @param value the new value; null if the key was removed or has expired, and in a stream {@link
   *     ListenOptions#withoutValues}
   * @param stamp greater than the stamps of all earlier events of the key in this stream
   */
  record Change<K, V>(Kind kind, K key, @Nullable V value, ChangeStamp stamp)
      implements ChangeEvent<K, V> {

    public Change {
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(stamp, "stamp");
    }
  }

  /** Why changes may be missing. */
  enum GapReason {
    /** Writes of one key were overwritten before the stream saw them. */
    OVERWRITTEN,
    /** The stream resumed from a position: of each key only the last change since is shown. */
    RESUMED,
    /**
     * The stream resumed from a position that is older than the cache keeps removals, or that does
     * not list all changes shown before it. Changes may be missing even if they were not
     * overwritten: read the cache.
     */
    RETENTION,
    /** The cache was altered or rebuilt: of each key only the last change is shown. */
    RECONFIGURED,
    /** The reader of the stream was too slow, and its buffer was full. */
    OVERFLOW,
    /** A change has a key or a value that this process cannot decode: a type without a schema. */
    UNREADABLE
  }

  /**
   * Changes that may be missing from the stream, and will not follow.
   *
   * @param reason why
   * @param key the only key concerned; empty for all keys of the stream
   * @param after no change up to this stamp is missing
   * @param before no change from this stamp on is missing
   * @param missed the number of missing changes; empty if it is not known, or may be zero
   */
  record Gap<K, V>(
      GapReason reason, Optional<K> key, ChangeStamp after, ChangeStamp before, OptionalLong missed)
      implements ChangeEvent<K, V> {

    /** A gap in place of the changes from {@code first} to {@code last}. */
    public static <K, V> Gap<K, V> between(
        GapReason reason, Optional<K> key, ChangeStamp first, ChangeStamp last, long missed) {
      // Only writes of the same microsecond are between the first bound and the first change.
      Stamp below = new Stamp(first.stamp().micros() - 1, first.stamp().writer());
      return new Gap<>(
          reason,
          key,
          new ChangeStamp(first.configuration(), below),
          new ChangeStamp(last.configuration(), last.stamp().rightAfter()),
          OptionalLong.of(missed));
    }
  }

  /** The same event with other types. */
  default <L, W> ChangeEvent<L, W> map(Function<K, L> keys, Function<V, W> values) {
    if (this instanceof Gap<K, V> gap) {
      return new Gap<>(gap.reason, gap.key.map(keys), gap.after, gap.before, gap.missed);
    }
    Change<K, V> change = (Change<K, V>) this;
    V value = change.value;
    return new Change<>(
        change.kind,
        keys.apply(change.key),
        value == null ? null : values.apply(value),
        change.stamp);
  }
}
