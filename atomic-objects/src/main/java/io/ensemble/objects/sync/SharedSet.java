package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.SetState;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A set that processes share, without null, in the order of insertion. Each operation is one call;
 * an operation that only reads is one read. The whole set is one object, so it should be small
 * (less than 1 MiB). Values are equal if they are written as the same bytes. Thread-safe.
 */
public final class SharedSet<V> implements AutoCloseable {

  private final FactoryLink<SetState> link;
  private final ElementCodec<V> elements;

  SharedSet(FactoryLink<SetState> link, ElementCodec<V> elements) {
    this.link = link;
    this.elements = elements;
  }

  /** Whether the set contains the value. */
  public boolean contains(V value) {
    return link.proxy().contains(elements.write(value));
  }

  /** As {@link #contains}, without waiting. */
  public CompletionStage<Boolean> containsAsync(V value) {
    return link.call(s -> s.contains(elements.write(value)));
  }

  /** The number of values. */
  public int size() {
    return link.proxy().size();
  }

  /** As {@link #size}, without waiting. */
  public CompletionStage<Integer> sizeAsync() {
    return link.call(s -> s.size());
  }

  /** Adds a value. False if the set contained it. */
  public boolean add(V value) {
    return link.proxy().add(elements.write(value));
  }

  /** As {@link #add}, without waiting. */
  public CompletionStage<Boolean> addAsync(V value) {
    return link.call(s -> s.add(elements.write(value)));
  }

  /** Removes a value. False if the set did not contain it. */
  public boolean remove(V value) {
    return link.proxy().remove(elements.write(value));
  }

  /** As {@link #remove}, without waiting. */
  public CompletionStage<Boolean> removeAsync(V value) {
    return link.call(s -> s.remove(elements.write(value)));
  }

  /** Removes all values. */
  public void clear() {
    link.proxy().clear();
  }

  /** As {@link #clear}, without waiting. */
  public CompletionStage<?> clearAsync() {
    return link.run(s -> s.clear());
  }

  /** Returns a copy of the whole set at one moment. */
  public Set<V> snapshot() {
    return new LinkedHashSet<>(elements.readAll(link.proxy().snapshot()));
  }

  /** As {@link #snapshot}, without waiting. */
  public CompletionStage<Set<V>> snapshotAsync() {
    return link.call(SetState::snapshot)
        .thenApply(items -> new LinkedHashSet<>(elements.readAll(items)));
  }

  @Override
  public void close() {
    link.close();
  }
}
