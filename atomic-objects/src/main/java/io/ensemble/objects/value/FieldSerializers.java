package io.ensemble.objects.value;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the serializer of an application class by its fields, or the reason why there is none. */
final class FieldSerializers {

  private FieldSerializers() {}

  /**
   * The serializer of {@code type}.
   *
   * @throws ValueWriteException if there is none
   */
  static FieldSerializer of(Class<?> type) {
    try {
      return type.isRecord() ? record(type) : object(type);
    } catch (InaccessibleObjectException | SecurityException e) {
      throw new ValueWriteException(
          type.getName() + " is not open to reflection; open its package in its module", e);
    }
  }

  private static FieldSerializer record(Class<?> type) {
    List<FieldSerializer.Slot> slots = new ArrayList<>();
    List<Class<?>> types = new ArrayList<>();
    try {
      for (RecordComponent each : type.getRecordComponents()) {
        Field field = type.getDeclaredField(each.getName());
        field.setAccessible(true);
        slots.add(new FieldSerializer.Slot(each.getName(), field, initial(each.getType())));
        types.add(each.getType());
      }
      Constructor<?> canonical = type.getDeclaredConstructor(types.toArray(Class<?>[]::new));
      canonical.setAccessible(true);
      return new FieldSerializer(type, slots, new Whole(canonical));
    } catch (NoSuchFieldException | NoSuchMethodException e) {
      throw new AssertionError(
          "a record must have a field for each component, and a constructor", e);
    }
  }

  private static FieldSerializer object(Class<?> type) {
    refuseWhatHasNoPlainInstances(type);
    Deque<Class<?>> line = new ArrayDeque<>();
    Class<?> ancestor = type;
    for (; ancestor != null && !isOfTheJdk(ancestor); ancestor = ancestor.getSuperclass()) {
      line.addFirst(ancestor);
    }
    refuseStateOfTheJdk(type, ancestor);
    List<FieldSerializer.Slot> slots = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (Class<?> each : line) {
      for (Field field : each.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())
            && !Modifier.isTransient(field.getModifiers())) {
          field.setAccessible(true);
          // A field that hides a field of a superclass has a longer name.
          String name =
              taken.add(field.getName()) ? field.getName() : each.getName() + "." + field.getName();
          slots.add(new FieldSerializer.Slot(name, field, null));
        }
      }
    }
    return new FieldSerializer(type, slots, new Filled(withoutArguments(type)));
  }

  private static void refuseWhatHasNoPlainInstances(Class<?> type) {
    if (type.isAnonymousClass()) {
      throw new ValueWriteException(
          "an anonymous class, "
              + type.getName()
              + ", cannot be serialized; make it a named static class");
    }
    if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
      throw new ValueWriteException(
          type.getName() + " is abstract and has no instances of its own");
    }
    boolean inner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
    if (inner || hasSynthetic(type)) {
      throw new ValueWriteException(
          type.getName() + " is an inner class that refers to its outer object; make it static");
    }
  }

  /** The fields by which a local class refers to its enclosing scope. */
  private static boolean hasSynthetic(Class<?> type) {
    return type.isLocalClass()
        && Arrays.stream(type.getDeclaredFields())
            .anyMatch(each -> each.isSynthetic() && !Modifier.isStatic(each.getModifiers()));
  }

  private static void refuseStateOfTheJdk(Class<?> type, @Nullable Class<?> ancestor) {
    for (Class<?> each = ancestor; each != null; each = each.getSuperclass()) {
      // The fields of these two count changes and cache views.
      if (each != AbstractList.class
          && each != AbstractMap.class
          && Arrays.stream(each.getDeclaredFields())
              .anyMatch(field -> !Modifier.isStatic(field.getModifiers()))) {
        throw new ValueWriteException(
            type.getName()
                + " extends "
                + each.getName()
                + ", whose fields are not accessible; use a field of that class instead, or write "
                + "a StateCodec or a ProtoStream schema");
      }
    }
  }

  private static Constructor<?> withoutArguments(Class<?> type) {
    try {
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException e) {
      throw new ValueWriteException(
          type.getName()
              + " has no constructor without arguments; add one (it may be private), make it a "
              + "record, or write a StateCodec or a ProtoStream schema",
          e);
    }
  }

  static boolean isOfTheJdk(Class<?> type) {
    String name = type.getName();
    return name.startsWith("java.")
        || name.startsWith("javax.")
        || name.startsWith("jdk.")
        || name.startsWith("sun.")
        || name.startsWith("com.sun.");
  }

  private static @Nullable Object initial(Class<?> type) {
    return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null;
  }

  private record Whole(Constructor<?> constructor) implements FieldSerializer.Maker {

    @Override
    public boolean fromValues() {
      return true;
    }

    @Override
    public Object make(@Nullable Object[] values) throws ReflectiveOperationException {
      return constructor.newInstance(values);
    }
  }

  private record Filled(Constructor<?> constructor) implements FieldSerializer.Maker {

    @Override
    public boolean fromValues() {
      return false;
    }

    @Override
    public Object make(@Nullable Object[] values) throws ReflectiveOperationException {
      return constructor.newInstance();
    }
  }
}
