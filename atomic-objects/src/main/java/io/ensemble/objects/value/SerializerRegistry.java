package io.ensemble.objects.value;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.infinispan.protostream.ImmutableSerializationContext;
import org.infinispan.protostream.ProtobufUtil;
import org.infinispan.protostream.WrappedMessage;
import org.jspecify.annotations.Nullable;

/** The serializer of each class, created once, and the class of each name. Thread-safe. */
final class SerializerRegistry {

  private final Map<String, Class<?>> known = new HashMap<>();
  private final ReferenceResolver referenceResolver;
  private final ImmutableSerializationContext schemas;
  private final ClassValue<ValueSerializer> plans =
      new ClassValue<>() {
        @Override
        protected ValueSerializer computeValue(Class<?> type) {
          try {
            return find(type);
          } catch (ValueWriteException e) {
            return new ValueSerializer.Refused(String.valueOf(e.getMessage()));
          }
        }
      };

  SerializerRegistry(
      Set<Class<?>> known,
      ReferenceResolver referenceResolver,
      ImmutableSerializationContext schemas) {
    for (Class<?> each : known) {
      Class<?> other = this.known.put(each.getName(), each);
      if (other != null) {
        throw new IllegalArgumentException("two classes have the same name: " + each);
      }
    }
    this.referenceResolver = referenceResolver;
    this.schemas = schemas;
  }

  ValueSerializer of(Class<?> type) {
    return plans.get(type);
  }

  ReferenceResolver references() {
    return referenceResolver;
  }

  Collection<Class<?>> known() {
    return known.values();
  }

  /** The class of this name; null if it is outside the closed set. The class is not initialized. */
  @Nullable Class<?> named(String name) {
    int dimensions = 0;
    while (dimensions < name.length() && name.charAt(dimensions) == '[') {
      dimensions++;
    }
    Class<?> type = dimensions == 0 ? single(name) : element(name.substring(dimensions));
    for (int i = 0; i < dimensions && type != null; i++) {
      type = type.arrayType();
    }
    return type;
  }

  private @Nullable Class<?> element(String descriptor) {
    if (descriptor.startsWith("L") && descriptor.endsWith(";")) {
      return single(descriptor.substring(1, descriptor.length() - 1));
    }
    return switch (descriptor) {
      case "Z" -> boolean.class;
      case "B" -> byte.class;
      case "C" -> char.class;
      case "S" -> short.class;
      case "I" -> int.class;
      case "J" -> long.class;
      case "F" -> float.class;
      case "D" -> double.class;
      default -> null;
    };
  }

  private @Nullable Class<?> single(String name) {
    Class<?> type = known.get(name);
    if (type != null || !name.startsWith("java.")) {
      return type;
    }
    try {
      return Class.forName(name, false, null);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  /** Whether {@link #named} finds the class. */
  private boolean hasName(Class<?> type) {
    return named(type.getName()) == type;
  }

  @Nullable Object message(String typeName, byte[] bytes) throws IOException {
    if (!schemas.canMarshall(typeName)) {
      return null;
    }
    Class<?> type = schemas.getMarshaller(typeName).getJavaClass();
    return isMessage(type) ? ProtobufUtil.fromByteArray(schemas, bytes, type) : null;
  }

  private boolean isMessage(Class<?> type) {
    return type != WrappedMessage.class && !type.isEnum() && schemas.canMarshall(type);
  }

  private ValueSerializer find(Class<?> type) {
    ValueSerializer plan = LeafSerializers.of(type);
    if (plan == null) {
      plan = ContainerSerializers.of(type);
    }
    if (plan != null) {
      return plan;
    }
    if (type.isArray()) {
      return new ArrayPlan(required(type.getComponentType()));
    }
    if (Enum.class.isAssignableFrom(type)) {
      return new EnumPlan(required(type.isEnum() ? type : type.getSuperclass()));
    }
    if (isMessage(type)) {
      return new Message(schemas.getMarshaller(type).getTypeName(), schemas);
    }
    if (FieldSerializers.isOfTheJdk(type)) {
      plan = WrapperSerializers.of(type, this);
      if (plan != null) {
        return plan;
      }
    }
    refuseFunctions(type);
    if (FieldSerializers.isOfTheJdk(type)) {
      throw new ValueWriteException(
          type.getName() + " is a class of the JDK that cannot be serialized; use another");
    }
    return FieldSerializers.of(type.isAnonymousClass() ? type : required(type));
  }

  private static void refuseFunctions(Class<?> type) {
    if (type.isHidden() || type.isSynthetic()) {
      throw new ValueWriteException(
          "a lambda ("
              + type.getName()
              + ") cannot be serialized; make its code a method of the object, and call that "
              + "method");
    }
    if (Proxy.isProxyClass(type)) {
      throw new ValueWriteException("a proxy of java.lang.reflect cannot be serialized");
    }
  }

  private Class<?> required(Class<?> type) {
    Class<?> single = type;
    while (single.isArray()) {
      single = single.getComponentType();
    }
    if (single.isPrimitive() || hasName(single)) {
      return type;
    }
    throw new ValueWriteException(
        single.getName()
            + " is not among the classes of this object; add it with .with("
            + single.getSimpleName()
            + ".class)");
  }

  private record ArrayPlan(Class<?> component) implements ValueSerializer {

    @Override
    public void write(ValueWriter to, Object value) {
      to.out().octet(TypeTag.ARRAY);
      to.name(component);
      to.elements((@Nullable Object[]) value);
    }
  }

  private record EnumPlan(Class<?> type) implements ValueSerializer {

    @Override
    public void write(ValueWriter to, Object value) {
      to.out().octet(TypeTag.ENUM);
      to.name(type);
      to.out().text(((Enum<?>) value).name());
    }

    @Override
    public boolean numbered() {
      return false;
    }
  }

  private record Message(String typeName, ImmutableSerializationContext schemas)
      implements ValueSerializer {

    @Override
    public void write(ValueWriter to, Object value) {
      to.out().octet(TypeTag.MESSAGE);
      to.out().text(typeName);
      try {
        to.out().block(ProtobufUtil.toByteArray(schemas, value));
      } catch (IOException | RuntimeException e) {
        throw new ValueWriteException(
            "its ProtoStream marshaller for " + typeName + " failed: " + e, e);
      }
    }

    @Override
    public boolean madeLast() {
      return true;
    }
  }
}
