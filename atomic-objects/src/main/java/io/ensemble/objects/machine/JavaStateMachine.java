package io.ensemble.objects.machine;

import io.ensemble.objects.ObjectType;
import io.ensemble.objects.value.NotWritableException;
import io.ensemble.objects.value.ReachableClasses;
import io.ensemble.objects.value.ReferenceResolver;
import io.ensemble.objects.value.StateCodec;
import io.ensemble.objects.value.ValueCodec;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Applies calls to instances of a Java class. Arguments, results and states are always copies: they
 * are encoded as bytes even where caller and object are in one process. The state machine itself
 * has no state and is thread-safe.
 */
public final class JavaStateMachine<T> implements StateMachine {

  /** The default limit of the size of an outcome: 1 MiB. */
  public static final int MAX_RESULT_BYTES = 1 << 20;

  private final ObjectType<T> type;
  private final ValueCodec valueCodec;
  private final StateCodec<Object> codec;
  private final ObjectMethods methods;
  private final RemoteExceptionFactory remoteExceptionFactory;
  private final int maxResultBytes;

  /**
   * Makes a state machine for objects of {@code type}; {@code referenceResolver} recognizes proxies
   * among values.
   */
  public JavaStateMachine(ObjectType<T> type, ReferenceResolver referenceResolver) {
    this(type, referenceResolver, MAX_RESULT_BYTES);
  }

  /**
   * As {@link #JavaStateMachine(ObjectType, ReferenceResolver)}, with a limit on the size of
   * outcomes.
   *
   * @throws IllegalArgumentException if the type's classes cannot be called or written
   */
  public JavaStateMachine(
      ObjectType<T> type, ReferenceResolver referenceResolver, int maxResultBytes) {
    this.type = type;
    this.maxResultBytes = maxResultBytes;
    methods = ObjectMethods.of(type.face(), type.state());
    remoteExceptionFactory = new RemoteExceptionFactory(methods.declaredExceptions(), type.with());
    valueCodec = values(type, referenceResolver);
    codec = codec(type, valueCodec);
  }

  private static ValueCodec values(ObjectType<?> type, ReferenceResolver referenceResolver) {
    List<Class<?>> roots = new ArrayList<>(List.of(type.face(), type.state()));
    type.with().stream().filter(c -> !Throwable.class.isAssignableFrom(c)).forEach(roots::add);
    Set<Class<?>> known = ReachableClasses.from(roots.toArray(new Class<?>[0]));
    return ValueCodec.of(
        known, referenceResolver, type.schemas().toArray(new SerializationContextInitializer[0]));
  }

  @SuppressWarnings("unchecked") // values read are checked; it writes values that it read
  private static StateCodec<Object> codec(ObjectType<?> type, ValueCodec valueCodec) {
    StateCodec<?> codec = type.codec();
    return (StateCodec<Object>) (codec == null ? valueCodec.fields(type.state()) : codec);
  }

  /** The type of the objects. */
  public ObjectType<T> type() {
    return type;
  }

  @Override
  public Object load(byte[] state) {
    Object loaded;
    String before = MethodContext.enter(type.name() + "'s codec");
    try {
      loaded = codec.read(type.codec() == null ? state : state.clone()); // it may keep the array
    } catch (UnreadableException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new UnreadableException("a state of " + type.name() + " cannot be read: " + e, e);
    } finally {
      MethodContext.leave(before);
    }
    if (!type.state().isInstance(loaded)) {
      throw new UnreadableException(
          "expected a state of class "
              + type.state().getName()
              + "; its codec returned "
              + (loaded == null ? "null" : loaded.getClass().getName()),
          null);
    }
    return loaded;
  }

  @Override
  public byte[] store(Object state) {
    byte[] bytes = written("the state of " + type.name(), () -> codec.write(state));
    return type.codec() == null ? bytes : bytes.clone(); // a codec may reuse the array
  }

  /**
   * Returns a number that is the same for equal states in every process, and very probably differs
   * for other states.
   *
   * @throws NotAppliedException if the state cannot be written
   */
  @Override
  public long fingerprint(Object state) {
    boolean byFields = type.codec() == null;
    return StateFingerprint.of(
        written(
            "the state of " + type.name(),
            () -> byFields ? valueCodec.canonical(state) : codec.write(state)));
  }

  @Override
  public byte[] apply(Object state, byte[] call, long position) {
    return MethodContext.at(position, () -> apply(state, call));
  }

  @Override
  public byte[] peek(Object state, byte[] call, long position) {
    return MethodContext.at(position, () -> outcome(state, call, Integer.MAX_VALUE));
  }

  @Override
  public byte[] apply(Object state, byte[] call) {
    return outcome(state, call, maxResultBytes);
  }

  private byte[] outcome(Object state, byte[] call, int most) {
    JavaCall asked = JavaCall.read(call, valueCodec);
    ObjectMethod method = methods.named(asked.method());
    if (method == null) {
      throw new UnreadableException(
          "expected a method of " + type.face().getName() + "; got " + asked.method(), null);
    }
    MethodOutcome outcome = invoke(state, method, asked.arguments());
    byte[] bytes = written("the result of " + name(method), () -> outcome.write(valueCodec));
    if (bytes.length > most) {
      throw new NotAppliedException(
          "the result of "
              + name(method)
              + " has "
              + bytes.length
              + " bytes; at most "
              + most
              + " are supported",
          null);
    }
    return bytes;
  }

  private MethodOutcome invoke(Object state, ObjectMethod method, @Nullable Object[] arguments) {
    String before = MethodContext.enter(name(method));
    try {
      Object result = method.callable().invoke(state, arguments);
      return result == state ? itself(method) : new MethodOutcome.Returned(result);
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      if (thrown instanceof Exception || thrown instanceof AssertionError) {
        return new MethodOutcome.Threw(ExceptionDescriptor.of(thrown));
      }
      throw failed(method, thrown);
    } catch (IllegalAccessException | IllegalArgumentException | NullPointerException e) {
      throw new UnreadableException("the call does not match " + name(method) + ": " + e, e);
    } catch (Error e) {
      throw failed(method, e);
    } finally {
      MethodContext.leave(before);
    }
  }

  /** The caller gets its proxy in place of the state, if the return type permits a proxy. */
  private MethodOutcome itself(ObjectMethod method) {
    Class<?> returned = method.callable().getReturnType();
    if (!returned.isAssignableFrom(type.face())) {
      throw new NotAppliedException(
          name(method)
              + " returns the object itself as "
              + returned.getName()
              + ", which is not its interface",
          null);
    }
    return new MethodOutcome.Itself();
  }

  private NotAppliedException failed(ObjectMethod method, @Nullable Throwable cause) {
    return new NotAppliedException(name(method) + " failed with an error: " + cause, cause);
  }

  private String name(ObjectMethod method) {
    return type.name() + "." + method.id();
  }

  private interface Writing {
    byte[] bytes();
  }

  private static byte[] written(String what, Writing writing) {
    String before = MethodContext.enter("writing " + what);
    try {
      return Objects.requireNonNull(writing.bytes(), "the codec returned null");
    } catch (NotWritableException e) {
      throw new NotAppliedException(what + " cannot be written: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      throw new NotAppliedException(what + " cannot be written: " + e, e);
    } finally {
      MethodContext.leave(before);
    }
  }

  /** For tests: the method of this id, which the proxy type has. */
  ObjectMethod named(String id) {
    return Objects.requireNonNull(methods.named(id), id);
  }

  /** For tests. */
  ValueCodec values() {
    return valueCodec;
  }

  /**
   * Returns the method that a proxy of this type intercepted.
   *
   * @throws IllegalArgumentException if it is not a method of the proxy type
   */
  public ObjectMethod method(Method caught) {
    return methods.caught(caught);
  }

  /**
   * Encodes a call.
   *
   * @throws NotWritableException if an argument cannot be written
   */
  public byte[] call(ObjectMethod method, @Nullable Object... arguments) {
    return new JavaCall(method.id(), arguments).write(valueCodec);
  }

  /**
   * Returns to a caller of {@code method} the result in the bytes that {@link #apply} returned, in
   * this process or another one.
   *
   * @param proxy returned if the method returned its own object
   * @return the value that the method returned
   * @throws Throwable the exception that the method threw. Its class is the same in three cases:
   *     the method declares the class, it is an unchecked exception of the JDK, or the type
   *     includes it. If the method declares a superclass only, the nearest one is used. A {@link
   *     io.ensemble.objects.RemoteMethodException} is the cause. Otherwise the {@code
   *     RemoteMethodException} itself is thrown
   * @throws UnreadableException if this process cannot read the outcome
   */
  public @Nullable Object result(ObjectMethod method, byte[] outcome, Object proxy)
      throws Throwable {
    MethodOutcome read = MethodOutcome.read(outcome, valueCodec);
    if (read instanceof MethodOutcome.Threw threw) {
      throw remoteExceptionFactory.of(method, threw.thrown());
    }
    return read instanceof MethodOutcome.Returned returned ? returned.value() : proxy;
  }
}
