package io.ensemble.objects;

import io.ensemble.objects.protocol.ProtocolSettings;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Options of a factory. The defaults suit a cluster at one location. */
public final class AtomicObjectFactoryBuilder {

  final ObjectStore store;
  ProtocolSettings layout = ProtocolSettings.DEFAULT;
  Duration timeout = Duration.ofSeconds(10);
  Duration requestTimeout = Duration.ofSeconds(3);
  @Nullable Executor executor;

  /** Replaces the factory's own threads and clock, for tests in virtual time. */
  @Nullable TimedExecutor timedExecutor;

  AtomicObjectFactoryBuilder(ObjectStore store) {
    this.store = store;
  }

  /** Sets the sizes and times of the protocol; by default {@link ProtocolSettings#DEFAULT}. */
  public AtomicObjectFactoryBuilder layout(ProtocolSettings chosen) {
    layout = chosen;
    return this;
  }

  /** Sets the maximum time of a call, an opening or a creation; by default 10 seconds. */
  public AtomicObjectFactoryBuilder timeout(Duration chosen) {
    timeout = positive(chosen);
    return this;
  }

  /** Sets the timeout of one request to the store; by default 3 seconds. */
  public AtomicObjectFactoryBuilder requestTimeout(Duration chosen) {
    requestTimeout = positive(chosen);
    return this;
  }

  /**
   * Sets the executor that runs the methods of objects and completes the stages of callers; the
   * factory does not close it. By default the factory has a few threads of its own, and adds
   * threads while continuations of callers block on further calls. A given executor needs enough
   * threads for that. A task that the executor rejects runs on the submitting thread.
   */
  public AtomicObjectFactoryBuilder executor(Executor chosen) {
    executor = chosen;
    return this;
  }

  /** Returns the factory, with no object open. */
  public AtomicObjectFactory build() {
    return new AtomicObjectFactory(this);
  }

  private static Duration positive(Duration duration) {
    if (duration.isZero() || duration.isNegative()) {
      throw new IllegalArgumentException("duration must be above zero; got " + duration);
    }
    return duration;
  }
}
