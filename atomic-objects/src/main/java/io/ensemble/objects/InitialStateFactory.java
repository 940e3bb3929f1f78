package io.ensemble.objects;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes initial states with a constructor without parameters. */
final class InitialStateFactory<T> implements Supplier<T> {

  private final Constructor<T> constructor;

  InitialStateFactory(Class<T> type) {
    constructor = ObjectTypeValidator.constructor(type);
    constructor.setAccessible(true);
  }

  @Override
  public T get() {
    try {
      return constructor.newInstance();
    } catch (InvocationTargetException e) {
      throw failed(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof InitialStateFactory<?> first && first.constructor.equals(constructor);
  }

  @Override
  public int hashCode() {
    return constructor.hashCode();
  }

  private IllegalArgumentException failed(@Nullable Throwable cause) {
    return new IllegalArgumentException(
        "the constructor of the initial state must not throw; class="
            + constructor.getDeclaringClass().getName(),
        cause);
  }
}
