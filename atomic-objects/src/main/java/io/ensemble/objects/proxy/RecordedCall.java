package io.ensemble.objects.proxy;

import io.ensemble.objects.machine.ObjectMethod;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A call that was recorded instead of made. */
@SuppressWarnings("ArrayRecordComponent") // calls are never compared
record RecordedCall(ProxyInvocationHandler calls, Object proxy, ObjectMethod method, byte[] call) {

  /** Sends the call. The stage fails with the exception of the call, unwrapped. */
  CompletionStage<@Nullable Object> send() {
    CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
    CompletionStage<byte[]> sent = calls.caller().callAsync(call, method.readOnly());
    sent.whenComplete((outcome, failure) -> complete(result, outcome, failure));
    return result.minimalCompletionStage();
  }

  private void complete(
      CompletableFuture<@Nullable Object> result,
      byte @Nullable [] outcome,
      @Nullable Throwable failure) {
    if (outcome == null) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      result.completeExceptionally(
          cause == null
              ? new IllegalStateException("a call must have an outcome; got null")
              : cause);
      return;
    }
    try {
      result.complete(calls.machine().result(method, outcome, proxy));
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }
}
