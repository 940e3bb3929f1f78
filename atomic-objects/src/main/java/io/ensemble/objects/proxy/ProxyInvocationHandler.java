package io.ensemble.objects.proxy;

import io.ensemble.objects.machine.JavaStateMachine;
import io.ensemble.objects.machine.MethodContext;
import io.ensemble.objects.machine.ObjectMethod;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Handles the calls of a proxy. */
final class ProxyInvocationHandler implements InvocationHandler {

  private static final @Nullable Object[] NONE = {};

  private final JavaStateMachine<?> machine;
  private final CallTarget callTarget;

  ProxyInvocationHandler(JavaStateMachine<?> machine, CallTarget callTarget) {
    this.machine = machine;
    this.callTarget = callTarget;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    @Nullable Object[] arguments = given == null ? NONE : given;
    if (method.getDeclaringClass() == AtomicObjectProxy.class) {
      return callTarget;
    }
    if (isObjects(method, "toString")) {
      return toString();
    }
    if (isObjects(method, "hashCode")) {
      return callTarget.name().hashCode();
    }
    if (isObjects(method, "equals", Object.class)) {
      return arguments[0] instanceof AtomicObjectProxy other
          && callTarget.same(other.$ensembleCaller());
    }
    return call(proxy, method, arguments);
  }

  private @Nullable Object call(Object proxy, Method caught, @Nullable Object[] arguments)
      throws Throwable {
    MethodContext.check(toString(), caught.getName());
    ObjectMethod method = machine.method(caught);
    byte[] call = machine.call(method, arguments);
    CallRecorder recording = CallRecorder.current();
    if (recording != null) {
      return recording.note(new RecordedCall(this, proxy, method, call), caught.getReturnType());
    }
    return machine.result(method, callTarget.call(call, method.readOnly()), proxy);
  }

  JavaStateMachine<?> machine() {
    return machine;
  }

  CallTarget caller() {
    return callTarget;
  }

  private static boolean isObjects(Method method, String name, Class<?>... parameters) {
    return method.getName().equals(name) && Arrays.equals(method.getParameterTypes(), parameters);
  }

  /** As in {@code Counter[visits]}. */
  @Override
  public String toString() {
    return machine.type().face().getSimpleName() + "[" + callTarget.name() + "]";
  }
}
