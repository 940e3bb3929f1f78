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
 * The methods of a face that are called on the state. Declarations with one name and the same
 * parameter types are one method, whatever they return: the bridges that the compiler adds come to
 * the same code.
 */
final class FaceMethods {

  /** About the proxy, or nobody's to call. */
  private static final Set<String> LOCAL =
      Set.of("toString()", "hashCode()", "equals(Ljava/lang/Object;)", "finalize()");

  private final Map<String, FaceMethod> byId;
  private final Map<Method, FaceMethod> byMethod;

  private FaceMethods(Map<String, FaceMethod> byId, Map<Method, FaceMethod> byMethod) {
    this.byId = byId;
    this.byMethod = byMethod;
  }

  static FaceMethods of(Class<?> face, Class<?> state) {
    Map<String, List<Method>> ofFace = declarations(face);
    Map<String, List<Method>> ofState = declarations(state);
    Map<String, FaceMethod> byId = new HashMap<>();
    Map<Method, FaceMethod> byMethod = new HashMap<>();
    ofFace.forEach(
        (id, declarations) -> {
          // the face is among the state's supertypes
          boolean readOnly = saysReadOnly(ofState.getOrDefault(id, List.of()));
          FaceMethod method =
              new FaceMethod(id, callable(id, face, declarations), declarations, readOnly);
          byId.put(id, method);
          declarations.forEach(declaration -> byMethod.put(declaration, method));
        });
    return new FaceMethods(byId, byMethod);
  }

  /** The one of this id, or null if the face has none. */
  @Nullable FaceMethod named(String id) {
    return byId.get(id);
  }

  /** The one that a proxy caught. */
  FaceMethod caught(Method method) {
    FaceMethod found = byMethod.get(method);
    if (found == null) {
      found = byId.get(FaceMethod.id(method)); // a subclass of the face declares it again
    }
    if (found == null) {
      throw new IllegalArgumentException("a method of the face is wanted; got " + method);
    }
    return found;
  }

  Collection<FaceMethod> all() {
    return byId.values();
  }

  private static Map<String, List<Method>> declarations(Class<?> type) {
    Map<String, List<Method>> found = new LinkedHashMap<>();
    for (Class<?> c : withSupertypes(type)) {
      List<Method> declared = new ArrayList<>(List.of(c.getDeclaredMethods()));
      declared.sort(Comparator.comparing(Method::isBridge));
      for (Method method : declared) {
        String id = FaceMethod.id(method);
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
                    "a face's methods are public, or in a package open to this library; method="
                        + id
                        + "; face="
                        + face.getName()));
  }

  /** All exceptions that some method declares. */
  Set<Class<?>> declaredExceptions() {
    Set<Class<?>> declared = new LinkedHashSet<>();
    for (FaceMethod method : all()) {
      for (Method declaration : method.declarations()) {
        Collections.addAll(declared, declaration.getExceptionTypes());
      }
    }
    return declared;
  }
}
