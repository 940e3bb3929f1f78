package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.state.CellState;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.EncodedValue;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A compare-and-swap register: one value, or none (null). A swap returns the previous value. A
 * change is one call. Values are equal if they are written as the same bytes. Thread-safe.
 */
public final class SharedRegister<V> implements AutoCloseable {

  private final FactoryLink<CellState> link;
  private final ElementCodec<V> elements;

  SharedRegister(FactoryLink<CellState> link, ElementCodec<V> elements) {
    this.link = link;
    this.elements = elements;
  }

  /** Returns the value. Costs one read. */
  public @Nullable V read() {
    return elements.readOrNull(link.proxy().get());
  }

  /** As {@link #read}, without waiting. */
  public CompletionStage<@Nullable V> readAsync() {
    return link.call(s -> s.get()).thenApply(elements::readOrNull);
  }

  /** Sets the value, or clears it. */
  public void write(@Nullable V next) {
    link.proxy().set(elements.writeOrNull(next));
  }

  /** As {@link #write}, without waiting. */
  public CompletionStage<?> writeAsync(@Nullable V next) {
    EncodedValue written = elements.writeOrNull(next);
    return link.call(s -> s.set(written));
  }

  /**
   * Sets the value to {@code next} if it is {@code expected}.
   *
   * @return the previous value, which equals {@code expected} if {@code next} was set
   */
  public @Nullable V compareAndSwap(@Nullable V expected, @Nullable V next) {
    return elements.readOrNull(
        link.proxy().swap(elements.writeOrNull(expected), elements.writeOrNull(next)));
  }

  /** As {@link #compareAndSwap}, without waiting. */
  public CompletionStage<@Nullable V> compareAndSwapAsync(@Nullable V expected, @Nullable V next) {
    return link.call(s -> s.swap(elements.writeOrNull(expected), elements.writeOrNull(next)))
        .thenApply(elements::readOrNull);
  }

  @Override
  public void close() {
    link.close();
  }
}
