package io.ensemble.objects.proxy;

import io.ensemble.objects.machine.JavaStateMachine;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Makes proxies. All proxies of one proxy type have one class, which is generated with the first.
 */
public final class Proxies {

  private Proxies() {}

  /**
   * Returns a proxy whose calls go to {@code callTarget}. The proxy is thread-safe if the target
   * is.
   *
   * @throws IllegalArgumentException if the constructor of the proxy type fails, or no subclass of
   *     it can be made in its package
   */
  public static <T> T of(JavaStateMachine<T> machine, CallTarget callTarget) {
    Class<T> face = machine.type().face();
    return face.cast(
        ProxyMaker.MAKERS.get(face).make(new ProxyInvocationHandler(machine, callTarget)));
  }

  /**
   * Makes one call without waiting for its outcome. The function makes the call on {@code proxy}
   * and returns its result: {@code counter -> counter.add(5)}. The function runs immediately on
   * this thread. Inside it the call is only recorded, and returns zero, false or null. For a method
   * that returns nothing, the function returns null.
   *
   * @return completes on the executor of the call target, with the result, or fails with the
   *     exception of the method or the call
   * @throws IllegalArgumentException if the function makes no call, a second one, or one of another
   *     object, fails, or returns any other value; no request was sent
   */
  public static <T, R> CompletionStage<R> async(T proxy, Function<? super T, ? extends R> call) {
    if (!(proxy instanceof AtomicObjectProxy)) {
      throw new IllegalArgumentException("expected a proxy; got a " + proxy.getClass().getName());
    }
    @SuppressWarnings("unchecked") // the function returns the result of the method
    CompletionStage<R> sent = (CompletionStage<R>) CallRecorder.of(proxy, call).send();
    return sent;
  }
}
