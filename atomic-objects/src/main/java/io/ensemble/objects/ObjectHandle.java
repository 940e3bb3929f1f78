package io.ensemble.objects;

import io.ensemble.objects.protocol.CallResult;
import io.ensemble.objects.proxy.CallTarget;
import io.ensemble.objects.runtime.BlockingWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The handle of one proxy on an object; closed independently of other handles on the object. */
final class ObjectHandle implements CallTarget {

  private final AtomicObjectFactory factory;
  private final AtomicObjectSession session;
  private final String type;
  private final boolean sequential;
  private final Duration timeout;
  private final AtomicBoolean closed = new AtomicBoolean();

  ObjectHandle(
      AtomicObjectFactory factory,
      AtomicObjectSession session,
      String type,
      boolean sequential,
      Duration timeout) {
    this.factory = factory;
    this.session = session;
    this.type = type;
    this.sequential = sequential;
    this.timeout = timeout;
  }

  /** Waits. The exception is created here, so that its stack trace shows the caller. */
  @Override
  public byte[] call(byte[] call, boolean readOnly) {
    try {
      return session.outcome(BlockingWait.of(verdict(call, readOnly)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtomicObjectException.CallUnknown("interrupted while waiting", name());
    }
  }

  @Override
  public CompletionStage<byte[]> callAsync(byte[] call, boolean readOnly) {
    return verdict(call, readOnly).thenApplyAsync(session::outcome, session.executor());
  }

  private CompletionStage<CallResult> verdict(byte[] call, boolean readOnly) {
    return closed.get()
        ? CompletableFuture.completedFuture(new CallResult.Refused("this handle is closed"))
        : session.call(call, readOnly, sequential, timeout);
  }

  boolean isOf(AtomicObjectFactory other) {
    return factory == other;
  }

  AtomicObjectSession session() {
    return session;
  }

  /** Marks the handle as closed. True the first time. */
  boolean close() {
    return closed.compareAndSet(false, true);
  }

  @Override
  public String name() {
    return session.name;
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public boolean same(CallTarget other) {
    return other.name().equals(name())
        && (other instanceof ObjectHandle handle && handle.factory.equals(factory)
            || other instanceof LazyHandle lazyHandle && lazyHandle.factory().equals(factory));
  }
}
