package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.ListState;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A list that processes share, without nulls. Each operation is one call; an operation that only
 * reads is one read. The whole list is one object, so it should be small (less than 1 MiB). Indices
 * out of bounds throw {@link IndexOutOfBoundsException}. Thread-safe.
 */
public final class SharedList<V> implements AutoCloseable {

  private final FactoryLink<ListState> link;
  private final ElementCodec<V> elements;

  SharedList(FactoryLink<ListState> link, ElementCodec<V> elements) {
    this.link = link;
    this.elements = elements;
  }

  /** Returns the value at an index. */
  public V get(int index) {
    return elements.read(link.proxy().get(index));
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<V> getAsync(int index) {
    return link.call(s -> s.get(index)).thenApply(elements::read);
  }

  /** The number of values. */
  public int size() {
    return link.proxy().size();
  }

  /** As {@link #size}, without waiting. */
  public CompletionStage<Integer> sizeAsync() {
    return link.call(s -> s.size());
  }

  /** Adds a value at the end. Returns its index. */
  public int add(V value) {
    return link.proxy().append(elements.write(value));
  }

  /** As {@link #add}, without waiting. */
  public CompletionStage<Integer> addAsync(V value) {
    return link.call(s -> s.append(elements.write(value)));
  }

  /** Inserts a value at an index; later values move up. */
  public void insert(int index, V value) {
    link.proxy().insert(index, elements.write(value));
  }

  /** As {@link #insert}, without waiting. */
  public CompletionStage<?> insertAsync(int index, V value) {
    return link.run(s -> s.insert(index, elements.write(value)));
  }

  /** Replaces the value at an index. Returns the previous one. */
  public V set(int index, V value) {
    return elements.read(link.proxy().set(index, elements.write(value)));
  }

  /** As {@link #set}, without waiting. */
  public CompletionStage<V> setAsync(int index, V value) {
    return link.call(s -> s.set(index, elements.write(value))).thenApply(elements::read);
  }

  /** Removes the value at an index, and returns it; later values move down. */
  public V remove(int index) {
    return elements.read(link.proxy().remove(index));
  }

  /** As {@link #remove}, without waiting. */
  public CompletionStage<V> removeAsync(int index) {
    return link.call(s -> s.remove(index)).thenApply(elements::read);
  }

  /** Removes all values. */
  public void clear() {
    link.proxy().clear();
  }

  /** As {@link #clear}, without waiting. */
  public CompletionStage<?> clearAsync() {
    return link.run(s -> s.clear());
  }

  /** Returns a copy of the whole list at one moment. */
  public List<V> snapshot() {
    return elements.readAll(link.proxy().snapshot());
  }

  /** As {@link #snapshot}, without waiting. */
  public CompletionStage<List<V>> snapshotAsync() {
    return link.call(s -> s.snapshot()).thenApply(elements::readAll);
  }

  @Override
  public void close() {
    link.close();
  }
}
