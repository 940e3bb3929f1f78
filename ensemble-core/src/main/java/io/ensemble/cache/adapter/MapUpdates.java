package io.ensemble.cache.adapter;

import io.ensemble.EntryUpdate;
import io.ensemble.cache.Payload;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The conditional operations of {@code ConcurrentMap}, as updates of one key. */
record MapUpdates<K, V>(EntryCodec<K, V> cells) {

  Update<Payload, V> put(Object key, V value, Duration lifespan) {
    Payload payload = cells.payload(key, value, lifespan);
    return found -> Decision.write(payload, cells.value(found));
  }

  Update<Payload, V> remove() {
    return found -> found == null ? Decision.keep(null) : Decision.write(null, cells.value(found));
  }

  /** Returns whether there was a value to remove. */
  Update<Payload, Boolean> removePresent() {
    return found -> found == null ? Decision.keep(false) : Decision.write(null, true);
  }

  Update<Payload, Boolean> remove(Object key, Object expected) {
    Bytes bytes = cells.value(key, expected);
    return found ->
        found != null && cells.same(found, expected, bytes)
            ? Decision.write(null, true)
            : Decision.keep(false);
  }

  Update<Payload, V> putIfAbsent(Object key, V value, Duration lifespan) {
    Payload payload = cells.payload(key, value, lifespan);
    return found ->
        found == null ? Decision.write(payload, null) : Decision.keep(cells.value(found));
  }

  Update<Payload, V> replace(Object key, V value, Duration lifespan) {
    Payload payload = cells.payload(key, value, lifespan);
    return found ->
        found == null ? Decision.keep(null) : Decision.write(payload, cells.value(found));
  }

  Update<Payload, Boolean> replace(Object key, V expected, V value, Duration lifespan) {
    Objects.requireNonNull(expected, "expected value");
    Bytes bytes = cells.value(key, expected);
    Payload payload = cells.payload(key, value, lifespan);
    return found ->
        found != null && cells.same(found, expected, bytes)
            ? Decision.write(payload, true)
            : Decision.keep(false);
  }

  /** Returns {@code expected} if it was replaced, otherwise the present value. */
  Update<Payload, V> compareAndExchange(Object key, V expected, V value) {
    Objects.requireNonNull(expected, "expected value");
    Bytes bytes = cells.value(key, expected);
    Payload payload = cells.payload(key, value, Duration.ZERO);
    return Update.expectingNextWrite(
        found ->
            found != null && cells.same(found, expected, bytes)
                ? Decision.write(payload, expected)
                : Decision.keep(cells.value(found)));
  }

  Update<Payload, V> compute(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    Objects.requireNonNull(function, "function");
    return found -> changed(key, found, function.apply(key, cells.value(found)), lifespan);
  }

  Update<Payload, V> computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends V> function, Duration lifespan) {
    Objects.requireNonNull(function, "function");
    return found ->
        found == null
            ? Decision.keep(null)
            : changed(key, found, function.apply(key, cells.value(found)), lifespan);
  }

  Update<Payload, V> computeIfAbsent(
      K key, Function<? super K, ? extends V> function, Duration lifespan) {
    Objects.requireNonNull(function, "function");
    return found ->
        found == null
            ? changed(key, null, function.apply(key), lifespan)
            : Decision.keep(cells.value(found));
  }

  Update<Payload, V> merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends V> function, Duration lifespan) {
    Objects.requireNonNull(function, "function");
    Payload payload = cells.payload(key, value, lifespan);
    return found ->
        found == null
            ? Decision.write(payload, value)
            : changed(key, found, function.apply(cells.read(found), value), lifespan);
  }

  <R> Update<Payload, R> update(K key, Function<@Nullable V, EntryUpdate<V, R>> function) {
    Objects.requireNonNull(function, "function");
    return found -> decided(key, found, function.apply(cells.value(found)));
  }

  private <R> Decision<Payload, R> decided(
      K key, @Nullable Payload found, EntryUpdate<V, R> update) {
    V value = update.value();
    return switch (update.action()) {
      case KEEP -> Decision.keep(update.result());
      case REMOVE ->
          found == null ? Decision.keep(update.result()) : Decision.write(null, update.result());
      case WRITE ->
          Decision.write(
              cells.payload(key, Objects.requireNonNull(value), update.lifespan()),
              update.result());
      case WRITE_WITH_PRESENT_EXPIRY ->
          Decision.write(
              new Payload(
                  cells.value(key, Objects.requireNonNull(value)),
                  found == null ? 0 : found.endMicros()),
              update.result());
    };
  }

  /** Null removes the present value; without a present value nothing is written. */
  private Decision<Payload, V> changed(
      K key, @Nullable Payload found, @Nullable V value, Duration lifespan) {
    if (value != null) {
      return Decision.write(cells.payload(key, value, lifespan), value);
    }
    return found == null ? Decision.keep(null) : Decision.write(null, null);
  }
}
