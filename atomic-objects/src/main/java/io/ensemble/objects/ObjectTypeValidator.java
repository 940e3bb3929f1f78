package io.ensemble.objects;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Checks which classes can be a proxy type, and which classes can be a state. */
final class ObjectTypeValidator {

  private ObjectTypeValidator() {}

  static void checkFace(Class<?> face) {
    String kind = kind(face);
    if (!kind.isEmpty()) {
      throw mistake("an object interface must be a class or an interface, not " + kind, face);
    }
    if (face.isSealed()) {
      throw mistake("an object interface must not be sealed: its proxy is another subclass", face);
    }
    if (face.isInterface()) {
      return;
    }
    if (Modifier.isFinal(face.getModifiers())) {
      throw mistake(
          "an object interface must not be final: its proxy is a subclass (use an interface)",
          face);
    }
    checkStandsAlone(face, "an object interface");
    if (!face.getModule().isOpen(face.getPackageName(), ObjectTypeValidator.class.getModule())) {
      throw mistake(
          "a class as object interface must be in a package that is open to this library (or use "
              + "an interface)",
          face);
    }
    constructor(face);
    checkMethods(face);
  }

  static void checkState(Class<?> state) {
    if (state.isArray() || Enum.class.isAssignableFrom(state)) {
      throw mistake(
          "a state class must be able to have state, and must not be an array or an enum", state);
    }
    checkStandsAlone(state, "a state class");
  }

  static void checkMakesItsState(Class<?> type) {
    if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
      throw mistake(
          "an interface or an abstract class requires a supplier of the initial state: "
              + "ObjectType.of(type, supplier)",
          type);
    }
  }

  /** The constructor without parameters, which a subclass in the same package can call. */
  static <T> Constructor<T> constructor(Class<T> face) {
    try {
      Constructor<T> found = face.getDeclaredConstructor();
      if (!Modifier.isPrivate(found.getModifiers())) {
        return found;
      }
    } catch (NoSuchMethodException e) {
      throw mistake("a class as object interface must have a constructor without parameters", face);
    }
    throw mistake(
        "the constructor without parameters of a class as object interface must not be private, "
            + "because its proxy calls it",
        face);
  }

  private static String kind(Class<?> face) {
    if (face.isPrimitive()) {
      return "a primitive type";
    }
    if (face.isArray()) {
      return "an array";
    }
    if (face.isAnnotation()) {
      return "an annotation";
    }
    if (face.isEnum() || face == Enum.class) {
      return "an enum";
    }
    return face.isRecord() || face == Record.class ? "a record" : "";
  }

  private static void checkStandsAlone(Class<?> type, String what) {
    if (type.isHidden() || type.isSynthetic()) {
      throw mistake(what + " must have a name and must not be a lambda", type);
    }
    if (type.isAnonymousClass() || type.isLocalClass()) {
      throw mistake(
          what + " must be declared outside of methods, so that it captures no variables", type);
    }
    if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
      throw mistake(what + " must be static if it is nested, so that it has no outer object", type);
    }
  }

  /**
   * Every method that a caller may reach must be overridable by a subclass in the package of {@code
   * face}.
   */
  private static void checkMethods(Class<?> face) {
    List<String> uncaught = new ArrayList<>();
    for (Class<?> c = face; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (isReachable(method) && !canBeOverridden(method, face)) {
          uncaught.add(c.getSimpleName() + "." + method.getName());
        }
      }
    }
    if (!uncaught.isEmpty()) {
      Collections.sort(uncaught);
      throw mistake(
          "a proxy must override every method; these are final, or package-private in another "
              + "package: "
              + String.join(", ", uncaught),
          face);
    }
  }

  private static boolean isReachable(Method method) {
    return (method.getModifiers() & (Modifier.PRIVATE | Modifier.STATIC)) == 0
        && !method.isSynthetic();
  }

  private static boolean canBeOverridden(Method method, Class<?> face) {
    int modifiers = method.getModifiers();
    if (Modifier.isFinal(modifiers)) {
      return false;
    }
    Class<?> declaring = method.getDeclaringClass();
    return Modifier.isPublic(modifiers)
        || Modifier.isProtected(modifiers)
        || (declaring.getPackageName().equals(face.getPackageName())
            && declaring.getClassLoader() == face.getClassLoader());
  }

  private static IllegalArgumentException mistake(String wanted, Class<?> came) {
    return new IllegalArgumentException(wanted + "; class=" + came.getName());
  }
}
