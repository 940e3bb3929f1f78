package io.ensemble.objects.proxy;

import io.ensemble.objects.machine.FaceMethod;
import io.ensemble.objects.machine.Inside;
import io.ensemble.objects.machine.JavaMachine;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a proxy does with its calls. */
final class Calls implements InvocationHandler {

  private static final @Nullable Object[] NONE = {};

  private final JavaMachine<?> machine;
  private final Caller caller;

  Calls(JavaMachine<?> machine, Caller caller) {
    this.machine = machine;
    this.caller = caller;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] given)
      throws Throwable {
    @Nullable Object[] arguments = given == null ? NONE : given;
    if (method.getDeclaringClass() == Opened.class) {
      return caller;
    }
    if (isObjects(method, "toString")) {
      return toString();
    }
    if (isObjects(method, "hashCode")) {
      return caller.name().hashCode();
    }
    if (isObjects(method, "equals", Object.class)) {
      return arguments[0] instanceof Opened other && caller.same(other.$ensembleCaller());
    }
    return call(proxy, method, arguments);
  }

  private @Nullable Object call(Object proxy, Method caught, @Nullable Object[] arguments)
      throws Throwable {
    Inside.check(toString(), caught.getName());
    FaceMethod method = machine.method(caught);
    byte[] call = machine.call(method, arguments);
    Recording recording = Recording.current();
    if (recording != null) {
      return recording.note(new Recorded(this, proxy, method, call), caught.getReturnType());
    }
    return machine.result(method, caller.call(call, method.readOnly()), proxy);
  }

  JavaMachine<?> machine() {
    return machine;
  }

  Caller caller() {
    return caller;
  }

  private static boolean isObjects(Method method, String name, Class<?>... parameters) {
    return method.getName().equals(name) && Arrays.equals(method.getParameterTypes(), parameters);
  }

  /** As in {@code Counter[visits]}. */
  @Override
  public String toString() {
    return machine.type().face().getSimpleName() + "[" + caller.name() + "]";
  }
}
