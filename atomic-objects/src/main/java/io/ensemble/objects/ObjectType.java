package io.ensemble.objects;

import io.ensemble.objects.value.StateCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * A kind of atomic object: its proxy type, called its <i>face</i> (the class or interface that
 * applications see and call), its initial state, its name, and how it is written. Immutable; each
 * method that changes something returns a new type. Every mistake is reported immediately, with an
 * {@link IllegalArgumentException}.
 *
 * <p>A proxy represents the object, so only methods reach the object. They are called on the state,
 * wherever the state is, including default methods of an interface. Some members are not called on
 * the state. {@code equals}, {@code hashCode} and {@code toString} describe the proxy, even where
 * the class has its own: two proxies are equal if they belong to the same object. Static and
 * private methods do not reach the state either.
 *
 * <p>Fields of a proxy are empty. So a class that reads the fields of another instance of its kind
 * ({@code other.count}) needs a getter for the field.
 *
 * @param <T> the proxy type
 */
public final class ObjectType<T> {

  private final Class<T> face;
  private final Class<?> state;
  private final Supplier<? extends T> first;
  private final String name;
  private final Set<Class<?>> with;
  private final @Nullable StateCodec<?> codec;
  private final List<SerializationContextInitializer> schemas;
  private final @Nullable RootSizes sizes;

  private ObjectType(
      Class<T> face,
      Class<?> state,
      Supplier<? extends T> first,
      String name,
      Set<Class<?>> with,
      @Nullable StateCodec<?> codec,
      List<SerializationContextInitializer> schemas,
      @Nullable RootSizes sizes) {
    this.face = face;
    this.state = state;
    this.first = first;
    this.name = name;
    this.with = with;
    this.codec = codec;
    this.schemas = schemas;
    this.sizes = sizes;
  }

  /**
   * Returns the type of a class that is both proxy type and state. The class has a constructor
   * without parameters that is not private and makes the initial state. This constructor also runs
   * once for each proxy, on the unused fields of the proxy. The methods of the class are not final,
   * since a proxy could not intercept them.
   */
  public static <T> ObjectType<T> of(Class<T> type) {
    ObjectTypeValidator.checkFace(type);
    ObjectTypeValidator.checkMakesItsState(type);
    return new ObjectType<>(
        type,
        type,
        new InitialStateFactory<>(type),
        type.getName(),
        Set.of(),
        null,
        List.of(),
        null);
  }

  /**
   * Returns a type with a proxy type and a supplier of initial states. {@code face} is an
   * interface, or a class that {@link #of(Class)} accepts. All states have the class of the state
   * that {@code initial} returns; {@code initial} is called once here.
   */
  public static <T> ObjectType<T> of(Class<T> face, Supplier<? extends T> initial) {
    ObjectTypeValidator.checkFace(face);
    Object made = initial.get();
    if (made == null) {
      throw new IllegalArgumentException(
          "an initial state is required; its supplier returned null; interface=" + face.getName());
    }
    if (!face.isInstance(made)) {
      throw new IllegalArgumentException(
          "the initial state must be an instance of its interface; state="
              + made.getClass().getName()
              + "; interface="
              + face.getName());
    }
    Class<?> state = made.getClass();
    ObjectTypeValidator.checkState(state);
    return new ObjectType<>(face, state, initial, state.getName(), Set.of(), null, List.of(), null);
  }

  /**
   * Returns a copy with this name, which is stored with each object and compared when the object is
   * opened. The default is the name of the state's class.
   */
  public ObjectType<T> named(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "the name of a type must not be blank; "
              + "name=\""
              + name
              + "\"; interface="
              + face.getName());
    }
    return new ObjectType<>(face, state, first, name, with, codec, schemas, sizes);
  }

  /**
   * Returns a copy with additional classes: classes of values that are declared only as {@code
   * Object} or a supertype, and of exceptions that the methods throw and a caller catches by class.
   */
  public ObjectType<T> with(Class<?>... classes) {
    Set<Class<?>> more = new LinkedHashSet<>(with);
    Collections.addAll(more, classes);
    return new ObjectType<>(
        face, state, first, name, Collections.unmodifiableSet(more), codec, schemas, sizes);
  }

  /** Returns a copy with a codec of the application for the state, in place of its fields. */
  public ObjectType<T> codec(StateCodec<?> codec) {
    return new ObjectType<>(
        face, state, first, name, with, Objects.requireNonNull(codec), schemas, sizes);
  }

  /** Returns a copy with classes that ProtoStream writes by these schemas. */
  public ObjectType<T> schema(SerializationContextInitializer... schemas) {
    List<SerializationContextInitializer> more = new ArrayList<>(this.schemas);
    Collections.addAll(more, schemas);
    return new ObjectType<>(face, state, first, name, with, codec, List.copyOf(more), sizes);
  }

  /**
   * Returns a copy with limits on the part of each object that is in its root, where this process
   * writes it. By default the settings of the factory apply. If a factory has an object open by two
   * types of one name, the sizes of the first type apply.
   */
  public ObjectType<T> sizes(RootSizes sizes) {
    return new ObjectType<>(
        face, state, first, name, with, codec, schemas, Objects.requireNonNull(sizes));
  }

  /** The name that is stored with each object. */
  public String name() {
    return name;
  }

  /** The proxy type: the class or interface that applications call. */
  public Class<T> face() {
    return face;
  }

  /** The class of all states. */
  public Class<?> state() {
    return state;
  }

  /**
   * Makes a new initial state.
   *
   * @throws IllegalStateException if the supplier now returns null, or another class than at first
   */
  public T initial() {
    T made = first.get();
    if (made == null || made.getClass() != state) {
      throw new IllegalStateException(
          "the supplier must return initial states of one class; got "
              + (made == null ? "null" : made.getClass().getName())
              + "; before "
              + state.getName());
    }
    return made;
  }

  /** The classes given to {@link #with}. */
  public Set<Class<?>> with() {
    return with;
  }

  /** The codec of the application, or null if the state is written field by field. */
  public @Nullable StateCodec<?> codec() {
    return codec;
  }

  /** The schemas given to {@link #schema}. */
  public List<SerializationContextInitializer> schemas() {
    return schemas;
  }

  /** The sizes given to {@link #sizes(RootSizes)}, or null if the settings of the factory apply. */
  public @Nullable RootSizes sizes() {
    return sizes;
  }

  /** Whether the other type has equal components: all of the above. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObjectType<?> type
        && face.equals(type.face)
        && state.equals(type.state)
        && first.equals(type.first)
        && name.equals(type.name)
        && with.equals(type.with)
        && Objects.equals(codec, type.codec)
        && schemas.equals(type.schemas)
        && Objects.equals(sizes, type.sizes);
  }

  @Override
  public int hashCode() {
    return Objects.hash(face, state, name, with);
  }

  @Override
  public String toString() {
    return "ObjectType[" + name + "]";
  }
}
