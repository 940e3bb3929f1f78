package io.ensemble.objects;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.store.ObjectStore;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Options of a factory; what is not said has a default that suits a cluster in one place. */
public final class AtomicObjectFactoryBuilder {

  final ObjectStore store;
  ProtocolSettings layout = ProtocolSettings.DEFAULT;
  Duration timeout = Duration.ofSeconds(10);
  Duration requestTimeout = Duration.ofSeconds(3);
  @Nullable Executor executor;

  AtomicObjectFactoryBuilder(ObjectStore store) {
    this.store = store;
  }

  /** Sizes and times of the construction. */
  public AtomicObjectFactoryBuilder layout(ProtocolSettings chosen) {
    layout = chosen;
    return this;
  }

  /** How long a call, an opening or a creation may take; 10 seconds. */
  public AtomicObjectFactoryBuilder timeout(Duration chosen) {
    timeout = positive(chosen);
    return this;
  }

  /** How long one request to the store may take before it is given up; 3 seconds. */
  public AtomicObjectFactoryBuilder requestTimeout(Duration chosen) {
    requestTimeout = positive(chosen);
    return this;
  }

  /**
   * What objects' methods run on, and callers' stages complete on; it is not closed with the
   * factory. By default a few threads of the factory's own, which are replaced while callers'
   * continuations wait for further calls on them; an executor that is given needs threads enough
   * for that. What it rejects runs on the thread that hands it over.
   */
  public AtomicObjectFactoryBuilder executor(Executor chosen) {
    executor = chosen;
    return this;
  }

  /** The factory, with nothing open. */
  public AtomicObjectFactory build() {
    return new AtomicObjectFactory(this);
  }

  private static Duration positive(Duration duration) {
    if (duration.isZero() || duration.isNegative()) {
      throw new IllegalArgumentException("a time above zero is wanted; got " + duration);
    }
    return duration;
  }
}
