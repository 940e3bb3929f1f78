package io.ensemble.objects.machine;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;

/** A method of a proxy type. */
public final class ObjectMethod {

  private final String id;
  private final Method callable;
  private final List<Method> declarations;
  private final boolean readOnly;

  ObjectMethod(String id, Method callable, List<Method> declarations, boolean readOnly) {
    this.id = id;
    this.callable = callable;
    this.declarations = List.copyOf(declarations);
    this.readOnly = readOnly;
  }

  /**
   * The name of the method and the types of its parameters, as in {@code add(ILjava/lang/String;)}.
   */
  public String id() {
    return id;
  }

  /** Whether the method is declared to change nothing. */
  public boolean readOnly() {
    return readOnly;
  }

  /** The method to call on a state; the override in the class of the state then runs. */
  Method callable() {
    return callable;
  }

  /** All declarations of the method in the proxy type and its supertypes. */
  List<Method> declarations() {
    return declarations;
  }

  /** Whether every declaration of the method permits exceptions of this class. */
  boolean mayThrow(Class<?> exception) {
    return declarations.stream()
        .allMatch(
            declaration ->
                List.of(declaration.getExceptionTypes()).stream()
                    .anyMatch(declared -> declared.isAssignableFrom(exception)));
  }

  static String id(Method method) {
    String types =
        MethodType.methodType(void.class, method.getParameterTypes()).toMethodDescriptorString();
    return method.getName() + types.substring(0, types.length() - 1);
  }

  @Override
  public String toString() {
    return id;
  }
}
