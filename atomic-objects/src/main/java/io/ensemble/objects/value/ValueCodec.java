package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.util.Set;
import org.infinispan.protostream.ProtobufUtil;
import org.infinispan.protostream.SerializationContext;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as bytes, and reads them. Immutable and thread-safe.
 *
 * <p>What can be written: the usual immutable classes, collections and arrays of the JDK; messages
 * of the ProtoStream schemas; and of the known classes enums, records by their components, and
 * others by their fields, static and transient ones left out. Such a class needs a constructor
 * without arguments, of any visibility. A proxy of an atomic object is written as a {@link
 * Reference}.
 *
 * <p>An object that is met twice is written once and read as one, cycles included; only records and
 * messages can be in none, as they cannot be made before what they contain. A field that the class
 * has and the bytes do not keeps what the constructor gave it (null or zero, in a record), and one
 * that only the bytes have is dropped.
 *
 * <p>Bytes make no class but those: neither is an instance made of another, nor is it initialised.
 */
public final class ValueCodec {

  private final SerializerRegistry serializerRegistry;

  private ValueCodec(SerializerRegistry serializerRegistry) {
    this.serializerRegistry = serializerRegistry;
  }

  /**
   * Values of the {@code known} classes (see {@link ReachableClasses}), those of the JDK, and the
   * messages of {@code schemas}.
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
   * The bytes of {@code value}, which nobody may change meanwhile.
   *
   * @throws NotWritableException if it is, or contains, what cannot be written
   */
  public byte[] write(@Nullable Object value) {
    return written(value, false);
  }

  /**
   * Like {@link #write}, and the same for values that differ only in the order in which their hash
   * tables were filled: to compare two replicas of a state. Costs more. {@link #read} takes it.
   *
   * <p>Elements of sets, and keys, that share what they contain with thousands of others may be
   * left in the order they came in, and so seem to differ where they do not.
   *
   * @throws NotWritableException if it is, or contains, what cannot be written
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
   * The value that was written, as a new one.
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
      // Of a constructor, hashCode or compareTo of the user's, or of the JDK, that got nonsense.
      throw new UnreadableException("a value that does not hold together: " + e, e);
    }
  }

  /**
   * The codec of states that are exactly of {@code type}.
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
              "wanted a state of "
                  + type.getName()
                  + ", heard "
                  + (state == null ? "null" : state.getClass().getName()),
              null);
        }
        return type.cast(state);
      }
    };
  }
}
