package io.ensemble.objects.proxy;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.bytebuddy.implementation.bind.annotation.AllArguments;
import net.bytebuddy.implementation.bind.annotation.FieldValue;
import net.bytebuddy.implementation.bind.annotation.Origin;
import net.bytebuddy.implementation.bind.annotation.RuntimeType;
import net.bytebuddy.implementation.bind.annotation.SuperMethodHandle;
import net.bytebuddy.implementation.bind.annotation.This;
import org.jspecify.annotations.Nullable;

/** Receives every method call of a generated class. Public for those classes only. */
public final class ProxyInterceptor {

  /** The field of the generated class for its invocation handler. */
  static final String HANDLER = "$ensembleHandler";

  private ProxyInterceptor() {}

  /**
   * Passes the call to the handler. Without a handler, the constructor of the proxy type is still
   * running. The methods that it calls then belong to the construction of an object of that class,
   * and run here.
   */
  @RuntimeType
  public static @Nullable Object call(
      @This Object proxy,
      @Origin Method method,
      @AllArguments @Nullable Object[] arguments,
      @FieldValue(HANDLER) @Nullable InvocationHandler handler,
      @SuperMethodHandle(fallbackToDefault = false, nullIfImpossible = true)
          @Nullable MethodHandle own)
      throws Throwable {
    if (handler != null) {
      return handler.invoke(proxy, method, arguments);
    }
    if (own == null) {
      throw new IllegalStateException(
          "the constructor of an object class must not call abstract methods; got " + method);
    }
    List<@Nullable Object> all = new ArrayList<>();
    all.add(proxy);
    Collections.addAll(all, arguments);
    return own.asFixedArity().invokeWithArguments(all);
  }
}
