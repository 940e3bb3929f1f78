package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Set;
import org.infinispan.protostream.ProtobufUtil;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes values as bytes, and decodes them. Immutable and thread-safe.
 *
 * <p>The following can be written: the usual immutable classes, collections and arrays of the JDK;
 * messages of the ProtoStream schemas; and known classes. Of known classes, enums are supported,
 * records by their components, and others by their fields except static and transient ones. Such a
 * class needs a constructor without arguments, of any visibility. A proxy of an atomic object is
 * written as an {@link ObjectReference}.
 *
 * <p>An object that occurs twice is written once and read as one object, cycles included. Records
 * and messages cannot be part of a cycle, as they cannot be made before their content. A field that
 * the class has and the bytes lack keeps the value from the constructor (null or zero, in a
 * record). A field that only the bytes have is dropped.
 *
 * <p>Bytes cannot create an instance of any other class, nor initialize one.
 */
public final class ValueCodec {

  private final SerializerRegistry serializerRegistry;

  private ValueCodec(SerializerRegistry serializerRegistry) {
    this.serializerRegistry = serializerRegistry;
  }

  /**
   * Returns a codec for values of the {@code known} classes (see {@link ReachableClasses}), those
   * of the JDK, and the messages of {@code schemas}.
   *
   * @throws IllegalArgumentException if two known classes have the same name
   */
  public static ValueCodec of(
      Set<Class<?>> known,
      ReferenceResolver referenceResolver,
      SerializationContextInitializer... schemas) {
    SerializationContext context = ProtobufUtil.newSerializationContext();
    for (SerializationContextInitializer each : schemas) {
      each.registerSchema(context);
      each.registerMarshallers(context);
    }
    return new ValueCodec(new SerializerRegistry(known, referenceResolver, context));
  }

  /**
   * Encodes {@code value}, which must not change meanwhile.
   *
   * @throws NotWritableException if it is, or contains, a value that cannot be written
   */
  public byte[] write(@Nullable Object value) {
    return written(value, false);
  }

  /**
   * As {@link #write}, with the same bytes for values that differ only in the insertion order of
   * their hash tables: to compare two replicas of a state. Costs more. {@link #read} accepts the
   * bytes.
   *
   * <p>Elements of sets, and keys, that share content with thousands of others may keep their
   * iteration order, and so seem to differ where they do not.
   *
   * @throws NotWritableException if it is, or contains, a value that cannot be written
   */
  public byte[] canonical(@Nullable Object value) {
    return written(value, true);
  }

  private byte[] written(@Nullable Object value, boolean canonical) {
    try {
      ValueWriter writing = new ValueWriter(serializerRegistry, canonical);
      writing.value(value);
      return writing.out().toBytes();
    } catch (ValueWriteException e) {
      throw e.from(value);
    }
  }

  /**
   * Decodes a new copy of the value.
   *
   * @throws UnreadableException if the bytes are damaged, of a later format, or name a class that
   *     is not known here
   */
  public @Nullable Object read(byte[] bytes) {
    try {
      return new ValueReader(serializerRegistry, bytes).whole();
    } catch (UnreadableException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      // An application or JDK method (constructor, hashCode, compareTo) failed on invalid content.
      throw new UnreadableException("an inconsistent value: " + e, e);
    }
  }

  /**
   * Returns the codec of states that are exactly of {@code type}.
   *
   * @throws NotWritableException if the class itself cannot be written
   */
  public <T> StateCodec<T> fields(Class<T> type) {
    if (serializerRegistry.of(type) instanceof ValueSerializer.Refused refused) {
      throw new NotWritableException(
          "cannot write " + type.getSimpleName() + ": " + refused.problem(), null);
    }
    return new StateCodec<>() {
      @Override
      public byte[] write(T state) {
        return ValueCodec.this.write(state);
      }

      @Override
      public T read(byte[] bytes) {
        Object state = ValueCodec.this.read(bytes);
        if (state == null || state.getClass() != type) {
          throw new UnreadableException(
              "expected a state of "
                  + type.getName()
                  + ", got "
                  + (state == null ? "null" : state.getClass().getName()),
              null);
        }
        return type.cast(state);
      }
    };
  }
}
