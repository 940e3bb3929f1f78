package io.ensemble.objects;

import io.ensemble.objects.proxy.CallTarget;
import io.ensemble.objects.runtime.BlockingWait;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** An object that another object refers to: opened at its first call, closed with the factory. */
final class LazyHandle implements CallTarget {

  private final AtomicObjectFactory factory;
  private final String name;
  private final String type;
  private final Supplier<CompletionStage<ObjectHandle>> opening;

  LazyHandle(
      AtomicObjectFactory factory,
      String name,
      String type,
      Supplier<CompletionStage<ObjectHandle>> opening) {
    this.factory = factory;
    this.name = name;
    this.type = type;
    this.opening = opening;
  }

  @Override
  public byte[] call(byte[] call, boolean readOnly) {
    try {
      return BlockingWait.of(callAsync(call, readOnly));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AtomicObjectException.CallUnknown("interrupted while waiting", name);
    }
  }

  @Override
  public CompletionStage<byte[]> callAsync(byte[] call, boolean readOnly) {
    CompletableFuture<byte[]> ended = new CompletableFuture<>();
    opening
        .get()
        .thenCompose(handle -> handle.callAsync(call, readOnly))
        .whenComplete(
            (outcome, failure) -> {
              if (failure == null) {
                ended.complete(outcome);
              } else {
                ended.completeExceptionally(
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure);
              }
            });
    return ended;
  }

  AtomicObjectFactory factory() {
    return factory;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public boolean same(CallTarget other) {
    return other.name().equals(name)
        && (other instanceof LazyHandle lazyHandle && lazyHandle.factory.equals(factory)
            || other instanceof ObjectHandle && other.same(this));
  }
}
