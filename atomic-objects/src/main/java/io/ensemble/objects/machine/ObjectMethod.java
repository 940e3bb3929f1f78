package io.ensemble.objects.machine;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;

/** One method of a face. */
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

  /** Its name and the types of its parameters, as in {@code add(ILjava/lang/String;)}. */
  public String id() {
    return id;
  }

  /** Whether it is declared to change nothing. */
  public boolean readOnly() {
    return readOnly;
  }

  /** The method to call on a state, whose own one then runs. */
  Method callable() {
    return callable;
  }

  /** All declarations of it in the face and above it. */
  List<Method> declarations() {
    return declarations;
  }

  /** Whether a caller, by every declaration, is ready for exceptions of this class. */
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
