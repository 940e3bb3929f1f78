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
      throw mistake("a face is a class or an interface, and not " + kind, face);
    }
    if (face.isSealed()) {
      throw mistake("a face is not sealed: a proxy is one more subclass of it", face);
    }
    if (face.isInterface()) {
      return;
    }
    if (Modifier.isFinal(face.getModifiers())) {
      throw mistake(
          "a face is not final: a proxy is a subclass of it (an interface would do)", face);
    }
    checkStandsAlone(face, "a face");
    if (!face.getModule().isOpen(face.getPackageName(), ObjectTypeValidator.class.getModule())) {
      throw mistake(
          "a class as a face is in a package open to this library (an interface would do)", face);
    }
    constructor(face);
    checkMethods(face);
  }

  static void checkState(Class<?> state) {
    if (state.isArray() || Enum.class.isAssignableFrom(state)) {
      throw mistake("a state is of a class that has states, and not an array or an enum", state);
    }
    checkStandsAlone(state, "a state's class");
  }

  static void checkMakesItsState(Class<?> type) {
    if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
      throw mistake(
          "what makes the first state is wanted beside an interface or an abstract class:"
              + " ObjectType.of(face, supplier)",
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
      throw mistake("a class as a face has a constructor without parameters; there is none", face);
    }
    throw mistake(
        "a class as a face has a constructor without parameters for a proxy to call; it is private",
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
      throw mistake(what + " has a name by which all processes know it, and is no lambda", type);
    }
    if (type.isAnonymousClass() || type.isLocalClass()) {
      throw mistake(
          what + " is declared outside of methods, so that it keeps nothing of one", type);
    }
    if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
      throw mistake(what + " is static if it is nested: it has no outer object", type);
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
          "a proxy catches every method of a face; these are final, or of another package and"
              + " visible there only: "
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
