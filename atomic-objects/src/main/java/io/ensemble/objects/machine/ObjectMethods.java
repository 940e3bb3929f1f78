package io.ensemble.objects.machine;

import io.ensemble.objects.ReadOnly;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The methods of a proxy type that are called on the state. Declarations with one name and the same
 * parameter types are one method, whatever they return: bridge methods of the compiler run the same
 * code.
 */
final class ObjectMethods {

  /** Methods that describe the proxy, or that applications do not call. */
  private static final Set<String> LOCAL =
      Set.of("toString()", "hashCode()", "equals(Ljava/lang/Object;)", "finalize()");

  private final Map<String, ObjectMethod> byId;
  private final Map<Method, ObjectMethod> byMethod;

  private ObjectMethods(Map<String, ObjectMethod> byId, Map<Method, ObjectMethod> byMethod) {
    this.byId = byId;
    this.byMethod = byMethod;
  }

  static ObjectMethods of(Class<?> face, Class<?> state) {
    Map<String, List<Method>> ofFace = declarations(face);
    Map<String, List<Method>> ofState = declarations(state);
    Map<String, ObjectMethod> byId = new HashMap<>();
    Map<Method, ObjectMethod> byMethod = new HashMap<>();
    ofFace.forEach(
        (id, declarations) -> {
          // the proxy type is a supertype of the state
          boolean readOnly = saysReadOnly(ofState.getOrDefault(id, List.of()));
          ObjectMethod method =
              new ObjectMethod(id, callable(id, face, declarations), declarations, readOnly);
          byId.put(id, method);
          declarations.forEach(declaration -> byMethod.put(declaration, method));
        });
    return new ObjectMethods(byId, byMethod);
  }

  /** The method of this id, or null if the proxy type has none. */
  @Nullable ObjectMethod named(String id) {
    return byId.get(id);
  }

  /** The method that a proxy intercepted. */
  ObjectMethod caught(Method method) {
    ObjectMethod found = byMethod.get(method);
    if (found == null) {
      found = byId.get(ObjectMethod.id(method)); // a subclass of the proxy type declares it again
    }
    if (found == null) {
      throw new IllegalArgumentException(
          "expected a method of the object interface; got " + method);
    }
    return found;
  }

  Collection<ObjectMethod> all() {
    return byId.values();
  }

  private static Map<String, List<Method>> declarations(Class<?> type) {
    Map<String, List<Method>> found = new LinkedHashMap<>();
    for (Class<?> c : withSupertypes(type)) {
      List<Method> declared = new ArrayList<>(List.of(c.getDeclaredMethods()));
      declared.sort(Comparator.comparing(Method::isBridge));
      for (Method method : declared) {
        String id = ObjectMethod.id(method);
        if ((method.getModifiers() & (Modifier.STATIC | Modifier.PRIVATE)) == 0
            && !LOCAL.contains(id)) {
          found.computeIfAbsent(id, any -> new ArrayList<>()).add(method);
        }
      }
    }
    return found;
  }

  private static Set<Class<?>> withSupertypes(Class<?> type) {
    Set<Class<?>> found = new LinkedHashSet<>();
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      found.add(c);
    }
    for (Class<?> c : List.copyOf(found)) {
      addInterfaces(c, found);
    }
    return found;
  }

  private static void addInterfaces(Class<?> type, Set<Class<?>> found) {
    for (Class<?> i : type.getInterfaces()) {
      found.add(i);
      addInterfaces(i, found);
    }
  }

  private static boolean saysReadOnly(List<Method> declarations) {
    return declarations.stream().anyMatch(method -> method.isAnnotationPresent(ReadOnly.class));
  }

  private static Method callable(String id, Class<?> face, List<Method> declarations) {
    return declarations.stream()
        .filter(AccessibleObject::trySetAccessible)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "methods must be public, or in a package that is open to this library; method="
                        + id
                        + "; interface="
                        + face.getName()));
  }

  /** All exceptions that some method declares. */
  Set<Class<?>> declaredExceptions() {
    Set<Class<?>> declared = new LinkedHashSet<>();
    for (ObjectMethod method : all()) {
      for (Method declaration : method.declarations()) {
        Collections.addAll(declared, declaration.getExceptionTypes());
      }
    }
    return declared;
  }
}
