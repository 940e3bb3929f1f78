package io.ensemble.objects.machine;

import io.ensemble.objects.NestedCallException;
import io.ensemble.objects.RemoteMethodException;
import java.lang.reflect.Constructor;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the exception that a caller sees from the description of an exception in another process. A
 * class is looked up by name only in three sets: the exceptions that the proxy type declares, the
 * classes given to the type, and the classes of the JDK. So bytes cannot cause any other class to
 * be loaded. The result depends on the names alone, so it is the same wherever the method ran.
 */
final class RemoteExceptionFactory {

  private final Map<String, Class<?>> known = new HashMap<>();

  RemoteExceptionFactory(Set<Class<?>> declared, Set<Class<?>> given) {
    declared.forEach(this::add);
    given.forEach(this::add);
    add(NestedCallException.class);
    add(AssertionError.class);
  }

  private void add(Class<?> type) {
    if (Throwable.class.isAssignableFrom(type)) {
      known.put(type.getName(), type);
    }
  }

  /** The exception to throw to a caller of {@code method}. */
  Throwable of(ObjectMethod method, ExceptionDescriptor exceptionDescriptor) {
    RemoteMethodException remote = exceptionDescriptor.remote();
    for (int i = 0; i < exceptionDescriptor.types().size(); i++) {
      Class<?> type = find(exceptionDescriptor.types().get(i));
      if (type == null || !(method.mayThrow(type) || (i == 0 && isUnchecked(type)))) {
        continue;
      }
      Throwable made = make(type, exceptionDescriptor.message(), remote);
      if (made != null) {
        return made;
      }
    }
    return remote;
  }

  private static boolean isUnchecked(Class<?> type) {
    return RuntimeException.class.isAssignableFrom(type)
        || AssertionError.class.isAssignableFrom(type);
  }

  private @Nullable Class<?> find(String name) {
    Class<?> found = known.get(name);
    return found == null && name.matches("java\\.(lang|util|io)\\..*") ? javas(name) : found;
  }

  private static @Nullable Class<?> javas(String name) {
    try {
      Class<?> found = Class.forName(name, false, null);
      return Exception.class.isAssignableFrom(found) ? found : null;
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // a class of another JDK version
    }
  }

  /** An instance, or null if no constructor of a usual form makes one. */
  private static @Nullable Throwable make(
      Class<?> type, @Nullable String message, RemoteMethodException cause) {
    Throwable made = make(type, new Class<?>[] {String.class, Throwable.class}, message, cause);
    if (made == null) {
      made = make(type, new Class<?>[] {String.class}, message);
    }
    if (made == null) {
      made = make(type, new Class<?>[] {});
    }
    if (made != null && made.getCause() != cause) {
      attach(made, cause);
    }
    return made;
  }

  private static @Nullable Throwable make(
      Class<?> type, Class<?>[] parameters, @Nullable Object... arguments) {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(parameters);
      return constructor.trySetAccessible()
          ? (Throwable) Objects.requireNonNull(constructor.newInstance(arguments))
          : null;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null; // no such constructor, or it failed: the next form, or the remote exception
    }
  }

  private static void attach(Throwable made, RemoteMethodException cause) {
    try {
      made.initCause(cause);
    } catch (IllegalStateException e) {
      made.addSuppressed(cause); // the constructor has fixed the cause
    }
  }
}
