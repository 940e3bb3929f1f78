package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.EncodedValue;
import io.ensemble.objects.sync.state.MapState;
import io.ensemble.objects.sync.view.ConcurrentMapView;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A map that processes share, without null keys or values, in the order of insertion. Each
 * operation is one call; an operation that only reads is one read. The whole map is one object, so
 * it should be small (less than 1 MiB). Keys and values are equal if they are written as the same
 * bytes. Thread-safe.
 */
public final class SharedMap<K, V> implements AutoCloseable {

  private final FactoryLink<MapState> link;
  private final ElementCodec<K> keys;
  private final ElementCodec<V> elements;

  SharedMap(FactoryLink<MapState> link, ElementCodec<K> keys, ElementCodec<V> elements) {
    this.link = link;
    this.keys = keys;
    this.elements = elements;
  }

  /** Returns the value of a key, or null. */
  public @Nullable V get(K key) {
    return elements.readOrNull(link.proxy().get(keys.write(key)));
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<@Nullable V> getAsync(K key) {
    return link.call(s -> s.get(keys.write(key))).thenApply(elements::readOrNull);
  }

  /** Whether the key has a value. */
  public boolean containsKey(K key) {
    return link.proxy().containsKey(keys.write(key));
  }

  /** As {@link #containsKey}, without waiting. */
  public CompletionStage<Boolean> containsKeyAsync(K key) {
    return link.call(s -> s.containsKey(keys.write(key)));
  }

  /** The number of keys. */
  public int size() {
    return link.proxy().size();
  }

  /** As {@link #size}, without waiting. */
  public CompletionStage<Integer> sizeAsync() {
    return link.call(s -> s.size());
  }

  /** Puts a value. Returns the previous one, or null. */
  public @Nullable V put(K key, V value) {
    return elements.readOrNull(link.proxy().put(keys.write(key), elements.write(value)));
  }

  /** As {@link #put}, without waiting. */
  public CompletionStage<@Nullable V> putAsync(K key, V value) {
    return link.call(s -> s.put(keys.write(key), elements.write(value)))
        .thenApply(elements::readOrNull);
  }

  /** Puts a value if there is none. Returns the present one, or null. */
  public @Nullable V putIfAbsent(K key, V value) {
    return elements.readOrNull(link.proxy().putIfAbsent(keys.write(key), elements.write(value)));
  }

  /** As {@link #putIfAbsent}, without waiting. */
  public CompletionStage<@Nullable V> putIfAbsentAsync(K key, V value) {
    return link.call(s -> s.putIfAbsent(keys.write(key), elements.write(value)))
        .thenApply(elements::readOrNull);
  }

  /** Puts a value if there is one. Returns the previous one, or null. */
  public @Nullable V replace(K key, V value) {
    return elements.readOrNull(link.proxy().replace(keys.write(key), elements.write(value)));
  }

  /** As {@link #replace}, without waiting. */
  public CompletionStage<@Nullable V> replaceAsync(K key, V value) {
    return link.call(s -> s.replace(keys.write(key), elements.write(value)))
        .thenApply(elements::readOrNull);
  }

  /** Puts a value if the present one is {@code expected}; returns whether it was. */
  public boolean replaceIf(K key, V expected, V value) {
    return link.proxy().replaceIf(keys.write(key), elements.write(expected), elements.write(value));
  }

  /** As {@link #replaceIf}, without waiting. */
  public CompletionStage<Boolean> replaceIfAsync(K key, V expected, V value) {
    return link.call(
        s -> s.replaceIf(keys.write(key), elements.write(expected), elements.write(value)));
  }

  /** Removes a key. Returns the previous value, or null. */
  public @Nullable V remove(K key) {
    return elements.readOrNull(link.proxy().remove(keys.write(key)));
  }

  /** As {@link #remove}, without waiting. */
  public CompletionStage<@Nullable V> removeAsync(K key) {
    return link.call(s -> s.remove(keys.write(key))).thenApply(elements::readOrNull);
  }

  /** Removes a key if its value is {@code expected}; returns whether it was. */
  public boolean removeIf(K key, V expected) {
    return link.proxy().removeIf(keys.write(key), elements.write(expected));
  }

  /** As {@link #removeIf}, without waiting. */
  public CompletionStage<Boolean> removeIfAsync(K key, V expected) {
    return link.call(s -> s.removeIf(keys.write(key), elements.write(expected)));
  }

  /** Removes all keys. */
  public void clear() {
    link.proxy().clear();
  }

  /** As {@link #clear}, without waiting. */
  public CompletionStage<?> clearAsync() {
    return link.run(s -> s.clear());
  }

  /** Puts all these entries at one moment. */
  public void putAll(Map<? extends K, ? extends V> more) {
    link.proxy().putAll(written(more));
  }

  /** As {@link #putAll}, without waiting. */
  public CompletionStage<?> putAllAsync(Map<? extends K, ? extends V> more) {
    Map<EncodedValue, EncodedValue> written = written(more);
    return link.run(s -> s.putAll(written));
  }

  /** Returns a copy of the whole map at one moment. */
  public Map<K, V> snapshot() {
    return read(link.proxy().snapshot());
  }

  /** As {@link #snapshot}, without waiting. */
  public CompletionStage<Map<K, V>> snapshotAsync() {
    return link.call(MapState::snapshot).thenApply(this::read);
  }

  /**
   * This map as a {@link ConcurrentMap}, with the same keys and values. Each operation of the
   * interface that is one operation of this map is atomic, and costs one call; {@code putAll} is
   * atomic, too. {@code compute}, {@code computeIfAbsent}, {@code computeIfPresent}, {@code merge}
   * and {@code replaceAll} compare and set until they succeed, and may apply their function several
   * times. Iterations, {@code containsValue}, {@code equals}, {@code hashCode} and {@code toString}
   * read a copy of the whole map at one moment; removals and {@code setValue} during an iteration
   * change the map, one call each. Nulls are refused, and a key or value of another class is
   * absent.
   */
  public ConcurrentMap<K, V> asConcurrentMap() {
    return new ConcurrentMapView<>(this, keys.type(), elements.type());
  }

  private Map<EncodedValue, EncodedValue> written(Map<? extends K, ? extends V> more) {
    Map<EncodedValue, EncodedValue> written = new LinkedHashMap<>();
    more.forEach((key, value) -> written.put(keys.write(key), elements.write(value)));
    return written;
  }

  private Map<K, V> read(Map<EncodedValue, EncodedValue> entries) {
    Map<K, V> read = new LinkedHashMap<>();
    entries.forEach((key, value) -> read.put(keys.read(key), elements.read(value)));
    return read;
  }

  @Override
  public void close() {
    link.close();
  }
}
