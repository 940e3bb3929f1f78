package io.ensemble.objects.sync.link;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ReportTest;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A link to an object of a factory. */
public final class FactoryLink<S> implements ObjectLink<S> {

  private final AtomicObjectFactory factory;
  private final LeaseClock clock;
  private final S proxy;
  private volatile boolean closed;

  /**
   * @param proxy of an object, opened by {@code factory}; closed with this link
   */
  public FactoryLink(AtomicObjectFactory factory, LeaseClock clock, S proxy) {
    this.factory = factory;
    this.clock = clock;
    this.proxy = proxy;
  }

  /** The object, for calls that block. */
  public S proxy() {
    return proxy;
  }

  @Override
  public <R> CompletionStage<R> call(Function<? super S, ? extends R> call) {
    return factory.async(proxy, call);
  }

  @Override
  public CompletionStage<Void> changed(long nanos, ReportTest<? super S> matters) {
    return clock.changed(proxy, nanos, matters);
  }

  @Override
  public UUID session() {
    return factory.sessionId(proxy);
  }

  @Override
  public long now() {
    return clock.nanos();
  }

  @Override
  public Runnable after(long nanos, Runnable task) {
    return clock.after(nanos, task);
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    factory.close(proxy);
  }

  @Override
  public String toString() {
    return proxy.toString();
  }
}
