package io.ensemble.objects.value;

import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link ValueReader} that reads values whose class is named, and single-value holders
 * of the JDK.
 */
final class ObjectValueReader {

  private final ValueReader from;
  private final ValueInput in;
  private final SerializerRegistry serializerRegistry;
  private final List<Shape> shapes = new ArrayList<>();
  private final List<Name> names = new ArrayList<>();

  /** A class, null if it is missing here, and for each written value the index of its field. */
  private record Shape(String name, @Nullable FieldSerializer plan, int[] places) {}

  private record Name(String text, @Nullable Class<?> type) {}

  ObjectValueReader(ValueReader from, SerializerRegistry serializerRegistry) {
    this.from = from;
    this.in = from.in();
    this.serializerRegistry = serializerRegistry;
  }

  void read(int tag, int number) {
    switch (tag) {
      case TypeTag.OBJECT -> object(number);
      case TypeTag.MESSAGE -> message(number);
      case TypeTag.ARRAY -> array(number);
      case TypeTag.ENTRY -> from.fill(number, new AbstractMap.SimpleEntry<>(any(), any()));
      case TypeTag.FIXED_ENTRY ->
          from.fill(number, new AbstractMap.SimpleImmutableEntry<>(any(), any()));
      case TypeTag.ENUM_MAP -> enumMap(number);
      case TypeTag.ENUM_SET -> enumSet(number);
      case TypeTag.ATOMIC_REFERENCE -> {
        AtomicReference<@Nullable Object> holder = new AtomicReference<>();
        from.fill(number, holder);
        holder.set(any());
      }
      case TypeTag.ARRAY_LIST_OF_FIXED_SIZE -> {
        @Nullable Object[] elements = new Object[in.count()];
        from.fill(number, Arrays.asList(elements));
        for (int i = 0; i < elements.length; i++) {
          elements[i] = any();
        }
      }
      default -> throw in.damaged("no value starts with " + tag);
    }
  }

  private @Nullable Object any() {
    return from.value(Object.class);
  }

  Object constant() {
    Class<?> type = name();
    String constant = in.text();
    if (type == null) {
      return from.absent();
    }
    requireEnum(type);
    Object value = constant(type, constant);
    if (value == null && from.isSkipping()) {
      return from.absent();
    }
    if (value == null) {
      throw in.damaged(type.getName() + " has no constant " + constant);
    }
    return value;
  }

  private void object(int number) {
    Shape shape = shape();
    FieldSerializer plan = shape.plan();
    if (plan == null) {
      for (int i = 0; i < shape.places().length; i++) {
        from.skip();
      }
      from.fill(number, from.absent());
    } else if (plan.maker().fromValues()) {
      fromValues(number, plan, shape.places());
    } else {
      Object instance = make(plan, new Object[0]);
      from.fill(number, instance);
      for (int place : shape.places()) {
        if (place < 0) {
          from.skip();
        } else {
          FieldSerializer.Slot slot = plan.slot(place);
          set(slot, instance, from.value(slot.field().getType()));
        }
      }
    }
  }

  private void fromValues(int number, FieldSerializer plan, int[] places) {
    int waiting = from.waiting();
    @Nullable Object[] values = plan.initial();
    for (int place : places) {
      if (place < 0) {
        from.skip();
      } else {
        values[place] = from.value(plan.slot(place).field().getType());
      }
    }
    Object instance = make(plan, values);
    if (from.waiting() != waiting) {
      requireTheVery(values, instance, plan);
    }
    from.fill(number, instance);
  }

  /** Rejects a copy of a container that is not filled yet, since it would stay empty. */
  private void requireTheVery(@Nullable Object[] values, Object instance, FieldSerializer plan) {
    for (int i = 0; i < values.length; i++) {
      try {
        if (values[i] instanceof Iterable<?> || values[i] instanceof Map<?, ?>) {
          if (plan.slot(i).field().get(instance) != values[i]) {
            throw in.damaged(
                plan.type().getName()
                    + " copies "
                    + plan.slot(i).name()
                    + ", which refers to an object that contains it");
          }
        }
      } catch (IllegalAccessException e) {
        throw new AssertionError("a field was made accessible: " + plan.slot(i).field(), e);
      }
    }
  }

  private Object make(FieldSerializer plan, @Nullable Object[] values) {
    try {
      return plan.maker().make(values);
    } catch (InvocationTargetException | InstantiationException | IllegalArgumentException e) {
      if (from.isSkipping()) {
        return from.absent();
      }
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw in.damaged("the constructor of " + plan.type().getName() + " failed: " + cause, cause);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("a constructor was made accessible: " + plan.type(), e);
    }
  }

  private void set(FieldSerializer.Slot slot, Object instance, @Nullable Object value) {
    boolean fits = value != null || !slot.field().getType().isPrimitive();
    if (from.isSkipping() && (instance == ValueReader.ABSENT || value == ValueReader.ABSENT)) {
      return;
    }
    try {
      if (fits) {
        slot.field().set(instance, value);
        return;
      }
    } catch (IllegalArgumentException e) {
      fits = false;
    } catch (IllegalAccessException e) {
      throw new AssertionError("a field was made accessible: " + slot.field(), e);
    }
    if (!from.isSkipping()) {
      throw in.damaged(
          slot.field()
              + " cannot hold "
              + (value == null ? "null" : "what came, a " + value.getClass().getName()));
    }
  }

  private void message(int number) {
    String type = in.text();
    byte[] block = in.block();
    try {
      Object message = serializerRegistry.message(type, block);
      if (message != null) {
        from.fill(number, message);
      } else if (from.isSkipping()) {
        from.fill(number, from.absent());
      } else {
        throw in.damaged("no ProtoStream schema of this process has a message " + type);
      }
    } catch (IOException | IllegalStateException e) {
      throw in.damaged("expected a message of type " + type, e);
    }
  }

  private void array(int number) {
    Class<?> component = name();
    Class<?> known = component == null ? Object.class : component;
    if (known.isPrimitive()) {
      throw in.damaged("expected an array of numbers, got an array of values");
    }
    @Nullable Object[] elements = (@Nullable Object[]) Array.newInstance(known, in.count());
    from.fill(number, elements);
    for (int i = 0; i < elements.length; i++) {
      Object element = from.value(known);
      if (element != ValueReader.ABSENT) {
        elements[i] = element;
      }
    }
    if (component == null) {
      from.absent();
    }
  }

  private void enumMap(int number) {
    Class<?> type = name();
    Map<@Nullable Object, @Nullable Object> map = type == null ? new HashMap<>() : mapOf(type);
    from.fill(number, map);
    from.entries(map);
    if (type == null) {
      from.absent();
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the map itself rejects keys of another enum
  private Map<@Nullable Object, @Nullable Object> mapOf(Class type) {
    requireEnum(type);
    return new EnumMap(type);
  }

  private void enumSet(int number) {
    Class<?> type = name();
    Set<Object> set = type == null ? new HashSet<>() : setOf(type);
    from.fill(number, set);
    int count = in.count();
    for (int i = 0; i < count; i++) {
      Object constant = any();
      if (constant != null && constant != ValueReader.ABSENT) {
        set.add(constant);
      }
    }
    if (type == null) {
      from.absent();
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // the set rejects constants of another enum
  private Set<Object> setOf(Class type) {
    requireEnum(type);
    return EnumSet.noneOf(type);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // just checked to be an enum
  private static @Nullable Object constant(Class type, String name) {
    try {
      return Enum.valueOf(type, name);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private void requireEnum(Class<?> type) {
    if (!type.isEnum()) {
      throw in.damaged("expected an enum, got " + type.getName());
    }
  }

  /** Null if the class is missing here and its values are skipped. */
  private @Nullable Class<?> name() {
    int known = in.index(names.size() + 1);
    if (known == 0) {
      String text = in.text();
      names.add(new Name(text, serializerRegistry.named(text)));
      known = names.size();
    }
    Name name = names.get(known - 1);
    if (name.type() == null && !from.isSkipping()) {
      throw from.unknown(name.text());
    }
    return name.type();
  }

  private Shape shape() {
    int known = in.index(shapes.size() + 1);
    if (known == 0) {
      String name = in.text();
      Class<?> type = serializerRegistry.named(name);
      FieldSerializer plan =
          type != null && serializerRegistry.of(type) instanceof FieldSerializer fieldSerializer
              ? fieldSerializer
              : null;
      int[] places = new int[in.count()];
      for (int i = 0; i < places.length; i++) {
        String field = in.text();
        places[i] = plan == null ? -1 : plan.place(field);
      }
      shapes.add(new Shape(name, plan, places));
      known = shapes.size();
    }
    Shape shape = shapes.get(known - 1);
    if (shape.plan() == null && !from.isSkipping()) {
      throw from.unknown(shape.name());
    }
    return shape;
  }
}
