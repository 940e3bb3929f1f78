package io.ensemble.objects.value;

import java.util.AbstractMap;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The serializers of JDK classes that hold values and are not in {@link ContainerSerializers}. */
final class WrapperSerializers {

  private static final Class<?> FIXED_LIST = Arrays.asList().getClass();

  private WrapperSerializers() {}

  /**
   * The serializer of a class of {@code java.*} that is neither leaf, container, array nor enum.
   */
  static @Nullable ValueSerializer of(Class<?> type, SerializerRegistry serializerRegistry) {
    if (type == Optional.class) {
      return new Holder(false, true, WrapperSerializers::optional);
    }
    if (type == AtomicReference.class) {
      return new Holder(true, false, WrapperSerializers::atomic);
    }
    if (type == FIXED_LIST) {
      return new Holder(true, false, WrapperSerializers::fixedList);
    }
    if (Map.Entry.class.isAssignableFrom(type)) {
      boolean fixed = type != AbstractMap.SimpleEntry.class;
      return new Holder(true, true, (to, value) -> entry(to, (Map.Entry<?, ?>) value, fixed));
    }
    if (EnumSet.class.isAssignableFrom(type)) {
      return new Holder(true, false, (to, value) -> enumSet(to, (EnumSet<?>) value));
    }
    if (type == EnumMap.class) {
      return new Holder(
          true, false, (to, value) -> enumMap(to, (EnumMap<?, ?>) value, serializerRegistry));
    }
    if (type == ConcurrentHashMap.KeySetView.class) {
      return new Holder(true, false, WrapperSerializers::keys);
    }
    return unmodifiable(type);
  }

  /** Views and immutable classes: their exact class is lost, but they remain unmodifiable. */
  private static @Nullable ValueSerializer unmodifiable(Class<?> type) {
    String name = type.getName();
    if (!name.startsWith("java.util.")
        || name.startsWith("java.util.Collections$Checked")
        || name.startsWith("java.util.Collections$Synchronized")
        || name.startsWith("java.util.Collections$SetFromMap")
        || name.startsWith("java.util.IdentityHashMap")
        || name.startsWith("java.util.WeakHashMap")) {
      return null;
    }
    if (Map.class.isAssignableFrom(type)) {
      return ContainerSerializers.UNMODIFIABLE_MAP;
    }
    if (Set.class.isAssignableFrom(type)) {
      return ContainerSerializers.UNMODIFIABLE_SET;
    }
    boolean values = name.endsWith("$Values") || name.endsWith("$ValuesView");
    return List.class.isAssignableFrom(type) || values || name.contains("UnmodifiableCollection")
        ? ContainerSerializers.UNMODIFIABLE_LIST
        : null;
  }

  private static void optional(ValueWriter to, Object value) {
    to.out().octet(TypeTag.OPTIONAL);
    to.value(((Optional<?>) value).orElse(null));
  }

  private static void atomic(ValueWriter to, Object value) {
    to.out().octet(TypeTag.ATOMIC_REFERENCE);
    to.value(((AtomicReference<?>) value).get());
  }

  private static void fixedList(ValueWriter to, Object value) {
    to.out().octet(TypeTag.ARRAY_LIST_OF_FIXED_SIZE);
    to.elements(((List<?>) value).toArray());
  }

  private static void entry(ValueWriter to, Map.Entry<?, ?> entry, boolean fixed) {
    to.out().octet(fixed ? TypeTag.FIXED_ENTRY : TypeTag.ENTRY);
    to.value(entry.getKey());
    to.value(entry.getValue());
  }

  private static void keys(ValueWriter to, Object value) {
    boolean ofItsOwn = ((ConcurrentHashMap.KeySetView<?, ?>) value).getMappedValue() != null;
    (ofItsOwn ? ContainerSerializers.CONCURRENT_SET : ContainerSerializers.UNMODIFIABLE_SET)
        .write(to, value);
  }

  private static void enumSet(ValueWriter to, EnumSet<?> value) {
    EnumSet<?> one = value.isEmpty() ? EnumSet.complementOf(value) : value;
    if (one.isEmpty()) {
      throw new ValueWriteException("an EnumSet of an enum without constants is not supported");
    }
    to.out().octet(TypeTag.ENUM_SET);
    to.name(one.iterator().next().getDeclaringClass());
    to.elements(value.toArray());
  }

  private static void enumMap(
      ValueWriter to, EnumMap<?, ?> value, SerializerRegistry serializerRegistry) {
    to.out().octet(TypeTag.ENUM_MAP);
    to.name(value.isEmpty() ? keyType(value, serializerRegistry) : declaring(value));
    to.entries(value, false);
  }

  private static Class<?> declaring(EnumMap<?, ?> map) {
    return map.keySet().iterator().next().getDeclaringClass();
  }

  /** The key type of an empty map, which has no method to return it: the enum that it accepts. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Class<?> keyType(EnumMap<?, ?> map, SerializerRegistry serializerRegistry) {
    for (Class<?> each : serializerRegistry.known()) {
      if (each.isEnum() && each.getEnumConstants().length > 0) {
        EnumMap probe = map.clone();
        try {
          probe.put((Enum) each.getEnumConstants()[0], null);
          return each;
        } catch (ClassCastException e) {
          // Not this enum.
        }
      }
    }
    throw new ValueWriteException(
        "the enum of an empty EnumMap is not registered; add it with .with(TheEnum.class)");
  }

  /** A serializer given by functions. */
  private record Holder(boolean numbered, boolean madeLast, Writer writer)
      implements ValueSerializer {

    interface Writer {
      void write(ValueWriter to, Object value);
    }

    @Override
    public void write(ValueWriter to, Object value) {
      writer.write(to, value);
    }
  }
}
