package io.ensemble.objects.value;

import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The classes that are reachable from a class: the parameter and return types of its public
 * methods, the types of its fields, and so on recursively. Type arguments and the permitted
 * subclasses of sealed types are included. Classes of the JDK are left out, and subclasses of a
 * class that is not sealed are not found.
 */
public final class ReachableClasses {

  private final Set<Class<?>> found = new LinkedHashSet<>();
  private final Set<Type> seen = new HashSet<>();
  private final Deque<Type> todo = new ArrayDeque<>();

  private ReachableClasses() {}

  /** The {@code roots} and the classes reachable from them; initializes none. */
  public static Set<Class<?>> from(Class<?>... roots) {
    ReachableClasses known = new ReachableClasses();
    for (Class<?> root : roots) {
      known.meet(root);
      if (!FieldSerializers.isOfTheJdk(root)) {
        known.meetMethods(root);
      }
    }
    while (!known.todo.isEmpty()) {
      known.follow(known.todo.remove());
    }
    return Set.copyOf(known.found);
  }

  private void meet(Type... types) {
    for (Type each : types) {
      if (seen.add(each)) {
        todo.add(each);
      }
    }
  }

  private void meetMethods(Class<?> root) {
    for (Method each : root.getMethods()) {
      if (!Modifier.isStatic(each.getModifiers())) {
        meet(each.getGenericReturnType());
        meet(each.getGenericParameterTypes());
      }
    }
  }

  private void follow(Type type) {
    if (type instanceof Class<?> one) {
      follow(one);
    } else if (type instanceof ParameterizedType some) {
      meet(some.getRawType());
      meet(some.getActualTypeArguments());
    } else if (type instanceof GenericArrayType array) {
      meet(array.getGenericComponentType());
    } else if (type instanceof TypeVariable<?> variable) {
      meet(variable.getBounds());
    } else if (type instanceof WildcardType wildcard) {
      meet(wildcard.getUpperBounds());
      meet(wildcard.getLowerBounds());
    }
  }

  private void follow(Class<?> type) {
    if (type.isArray()) {
      meet(type.getComponentType());
      return;
    }
    if (type.isPrimitive() || FieldSerializers.isOfTheJdk(type)) {
      return;
    }
    found.add(type);
    if (type.getGenericSuperclass() != null) {
      meet(type.getGenericSuperclass());
    }
    meet(type.getGenericInterfaces());
    if (type.isSealed()) {
      meet(type.getPermittedSubclasses());
    }
    for (Field each : type.getDeclaredFields()) {
      if (!Modifier.isStatic(each.getModifiers()) && !Modifier.isTransient(each.getModifiers())) {
        meet(each.getGenericType());
      }
    }
  }
}
