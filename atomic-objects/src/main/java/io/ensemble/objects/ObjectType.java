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
 * A kind of atomic object: its face (what users see and call), its first state, its name, and how
 * it is written. Immutable; each method that changes something returns a new type. Every mistake is
 * told at once, with an {@link IllegalArgumentException}.
 *
 * <p>A proxy stands for the object, so only methods reach it. They are called on the state,
 * wherever that is; default methods of an interface too. Not called on the state: {@code equals},
 * {@code hashCode} and {@code toString}, which are about the proxy even where the class has its own
 * (two proxies are equal if they are of the same object), static and private methods, and fields: a
 * field of a proxy holds nothing. So a class that reads the fields of another one of its kind
 * ({@code other.count}) needs a getter for it.
 *
 * @param <T> the face
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
   * Of a class that is face and state at once. It has a constructor without parameters, which is
   * not private and makes the first state; it also runs once for each proxy, on the proxy's own
   * unused fields. Its methods are not final, since a proxy could not catch them.
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
   * Of an interface, or a class as {@link #of(Class)} wants it, and of what makes a first state.
   * All states are of the class of the one that {@code initial} makes, which is called once here.
   */
  public static <T> ObjectType<T> of(Class<T> face, Supplier<? extends T> initial) {
    ObjectTypeValidator.checkFace(face);
    Object made = initial.get();
    if (made == null) {
      throw new IllegalArgumentException(
          "a first state is wanted; its supplier gave null; face=" + face.getName());
    }
    if (!face.isInstance(made)) {
      throw new IllegalArgumentException(
          "a first state is an instance of its face; state="
              + made.getClass().getName()
              + "; face="
              + face.getName());
    }
    Class<?> state = made.getClass();
    ObjectTypeValidator.checkState(state);
    return new ObjectType<>(face, state, initial, state.getName(), Set.of(), null, List.of(), null);
  }

  /**
   * With this name, kept beside each object and compared when it is opened. Without it, the name of
   * the state's class.
   */
  public ObjectType<T> named(String name) {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "the name of a type is not blank; name=\"" + name + "\"; face=" + face.getName());
    }
    return new ObjectType<>(face, state, first, name, with, codec, schemas, sizes);
  }

  /**
   * With further classes: of values that only come as an {@code Object} or a supertype, and of
   * exceptions that the methods throw and a caller wants to catch as such.
   */
  public ObjectType<T> with(Class<?>... classes) {
    Set<Class<?>> more = new LinkedHashSet<>(with);
    Collections.addAll(more, classes);
    return new ObjectType<>(
        face, state, first, name, Collections.unmodifiableSet(more), codec, schemas, sizes);
  }

  /** With the user's own bytes for the state, in place of its fields. */
  public ObjectType<T> codec(StateCodec<?> codec) {
    return new ObjectType<>(
        face, state, first, name, with, Objects.requireNonNull(codec), schemas, sizes);
  }

  /** With classes that ProtoStream writes as these schemas say. */
  public ObjectType<T> schema(SerializationContextInitializer... schemas) {
    List<SerializationContextInitializer> more = new ArrayList<>(this.schemas);
    Collections.addAll(more, schemas);
    return new ObjectType<>(face, state, first, name, with, codec, List.copyOf(more), sizes);
  }

  /**
   * With so much of each object in its root, where this process writes it; else as its factory. Of
   * two types of one name by which a factory has an object open, the first one says.
   */
  public ObjectType<T> sizes(RootSizes sizes) {
    return new ObjectType<>(
        face, state, first, name, with, codec, schemas, Objects.requireNonNull(sizes));
  }

  /** The name that is kept beside each object. */
  public String name() {
    return name;
  }

  /** The class or interface that users see. */
  public Class<T> face() {
    return face;
  }

  /** The class of all states. */
  public Class<?> state() {
    return state;
  }

  /**
   * A new first state.
   *
   * @throws IllegalStateException if the supplier now gives null or another class than at first
   */
  public T initial() {
    T made = first.get();
    if (made == null || made.getClass() != state) {
      throw new IllegalStateException(
          "a first state of one class is wanted; the supplier gave "
              + (made == null ? "null" : made.getClass().getName())
              + "; before "
              + state.getName());
    }
    return made;
  }

  /** What {@link #with} named. */
  public Set<Class<?>> with() {
    return with;
  }

  /** The user's codec, or null if the state is written field by field. */
  public @Nullable StateCodec<?> codec() {
    return codec;
  }

  /** What {@link #schema} named. */
  public List<SerializationContextInitializer> schemas() {
    return schemas;
  }

  /** What {@link #sizes(RootSizes)} said, or null if the factory's layout decides. */
  public @Nullable RootSizes sizes() {
    return sizes;
  }

  /** Whether the other one is made of the same: all of the above. */
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
