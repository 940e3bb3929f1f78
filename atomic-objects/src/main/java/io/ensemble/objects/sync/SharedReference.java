package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.state.CellState;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.EncodedValue;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One value, or none (null), that processes share. A change is one call. Values are equal if they
 * are written as the same bytes. Thread-safe.
 */
public final class SharedReference<V> implements AutoCloseable {

  private final FactoryLink<CellState> link;
  private final ElementCodec<V> elements;

  SharedReference(FactoryLink<CellState> link, ElementCodec<V> elements) {
    this.link = link;
    this.elements = elements;
  }

  /** Returns the value. Costs one read. */
  public @Nullable V get() {
    return elements.readOrNull(link.proxy().get());
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<@Nullable V> getAsync() {
    return link.call(s -> s.get()).thenApply(elements::readOrNull);
  }

  /** Sets the value, or clears it. Returns the previous one. */
  public @Nullable V getAndSet(@Nullable V next) {
    return elements.readOrNull(link.proxy().set(elements.writeOrNull(next)));
  }

  /** As {@link #getAndSet}, without waiting. */
  public CompletionStage<@Nullable V> getAndSetAsync(@Nullable V next) {
    return link.call(s -> s.set(elements.writeOrNull(next))).thenApply(elements::readOrNull);
  }

  /** Sets the value, or clears it. */
  public void set(@Nullable V next) {
    link.proxy().set(elements.writeOrNull(next));
  }

  /** As {@link #set}, without waiting. */
  public CompletionStage<?> setAsync(@Nullable V next) {
    EncodedValue written = elements.writeOrNull(next);
    return link.call(s -> s.set(written));
  }

  /** Sets the value to {@code next} if it is {@code expected}; returns whether it was. */
  public boolean compareAndSet(@Nullable V expected, @Nullable V next) {
    EncodedValue wanted = elements.writeOrNull(expected);
    return Objects.equals(wanted, link.proxy().swap(wanted, elements.writeOrNull(next)));
  }

  /** As {@link #compareAndSet}, without waiting. */
  public CompletionStage<Boolean> compareAndSetAsync(@Nullable V expected, @Nullable V next) {
    EncodedValue wanted = elements.writeOrNull(expected);
    EncodedValue written = elements.writeOrNull(next);
    return link.call(s -> s.swap(wanted, written)).thenApply(b -> Objects.equals(wanted, b));
  }

  @Override
  public void close() {
    link.close();
  }
}
