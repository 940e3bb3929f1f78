package io.ensemble.objects.proxy;

import io.ensemble.objects.machine.JavaStateMachine;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Makes proxies. All of one face are of one class, which is made with the first. */
public final class Proxies {

  private Proxies() {}

  /**
   * A proxy whose calls go to {@code callTarget}. Thread-safe as that is.
   *
   * @throws IllegalArgumentException if the face's constructor fails, or a class beside it cannot
   *     be made
   */
  public static <T> T of(JavaStateMachine<T> machine, CallTarget callTarget) {
    Class<T> face = machine.type().face();
    return face.cast(
        ProxyMaker.MAKERS.get(face).make(new ProxyInvocationHandler(machine, callTarget)));
  }

  /**
   * Makes one call without waiting for its outcome. The function makes it, on {@code proxy}, and
   * returns what it returned: {@code counter -> counter.add(5)}. It runs here and now; in it the
   * call is noted only, and returns zero, false or null. For a method that returns nothing, the
   * function returns null.
   *
   * @return completes on the caller's thread for this, with the result, or fails with what the
   *     method or the call throws
   * @throws IllegalArgumentException if the function makes no call, a second one, or one of another
   *     object, fails, or returns anything else; nothing was sent
   */
  public static <T, R> CompletionStage<R> async(T proxy, Function<? super T, ? extends R> call) {
    if (!(proxy instanceof AtomicObjectProxy)) {
      throw new IllegalArgumentException("a proxy is wanted; got a " + proxy.getClass().getName());
    }
    @SuppressWarnings("unchecked") // the function returns what the method does
    CompletionStage<R> sent = (CompletionStage<R>) CallRecorder.of(proxy, call).send();
    return sent;
  }
}
