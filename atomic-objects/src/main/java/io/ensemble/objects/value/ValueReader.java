package io.ensemble.objects.value;

import io.ensemble.objects.machine.UnreadableException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads one value, on one thread.
 *
 * <p>Objects are made before their content, so that they can contain themselves. An element of a
 * hash table or a sorted container must be complete when it is added. If it refers back to an
 * object that is not complete, the container is filled last.
 *
 * <p>A field that the class no longer has is read and dropped. Its value may be of a class that no
 * longer exists: {@link #ABSENT} then replaces it.
 */
final class ValueReader {

  /** Replaces a value that is skipped and cannot be made. */
  static final Object ABSENT = new Object();

  private final ValueInput in;
  private final SerializerRegistry serializerRegistry;
  private final ObjectValueReader objects;
  private final List<@Nullable Object> values = new ArrayList<>();
  private final BitSet unfinished = new BitSet();
  // Objects that referred to incomplete objects when they were read.
  private final BitSet leadingBack = new BitSet();
  private final List<Runnable> last = new ArrayList<>();
  private int loops;
  private int skipping;
  private int absent;
  private int depth;

  ValueReader(SerializerRegistry serializerRegistry, byte[] bytes) {
    this.serializerRegistry = serializerRegistry;
    this.in = new ValueInput(bytes);
    this.objects = new ObjectValueReader(this, serializerRegistry);
  }

  /** Reads the one value of the bytes. */
  @Nullable Object whole() {
    int format = in.octet();
    if (format != TypeTag.FORMAT) {
      throw in.damaged("expected value format " + TypeTag.FORMAT + ", got " + format);
    }
    Object value = value(Object.class);
    if (in.left() > 0) {
      throw in.damaged("unexpected bytes after a value");
    }
    last.forEach(Runnable::run);
    return value;
  }

  ValueInput in() {
    return in;
  }

  /** The number of references back to incomplete objects so far. */
  int loops() {
    return loops;
  }

  /** The number of containers that wait to be filled. */
  int waiting() {
    return last.size();
  }

  boolean isSkipping() {
    return skipping > 0;
  }

  /** Reads a value and drops it. */
  void skip() {
    int before = absent;
    skipping++;
    value(Object.class);
    skipping--;
    absent = before;
  }

  Object absent() {
    absent++;
    return ABSENT;
  }

  /** Sets the object of a number, complete or not. */
  void fill(int number, Object value) {
    values.set(number, value);
  }

  @Nullable Object value(Class<?> declared) {
    int tag = in.octet();
    LeafSerializer<?> leaf = LeafSerializers.tagged(tag);
    if (leaf != null && leaf.plain()) {
      return leaf.reader().apply(in);
    }
    if (tag == TypeTag.NULL) {
      return null;
    }
    if (tag == TypeTag.BACK) {
      return back(in.index(values.size()));
    }
    if (tag == TypeTag.REFERENCE) {
      ObjectReference reference = new ObjectReference(in.text(), in.text());
      return isSkipping() ? absent() : serializerRegistry.references().open(reference, declared);
    }
    if (depth == ValueWriter.DEEPEST) {
      throw in.damaged("values nested more than " + ValueWriter.DEEPEST + " deep");
    }
    depth++;
    Object value =
        switch (tag) {
          case TypeTag.ENUM -> objects.constant();
          case TypeTag.OPTIONAL -> Optional.ofNullable(value(Object.class));
          default -> numbered(tag, leaf);
        };
    depth--;
    return value;
  }

  private Object back(int number) {
    Object value = values.get(number);
    if (value == null || value == ABSENT) {
      if (isSkipping()) {
        return absent();
      }
      throw in.damaged(
          value == null
              ? "a value that contains itself and cannot be restored"
              : "a reference to a value whose class is missing");
    }
    if (unfinished.get(number) || leadingBack.get(number)) {
      loops++;
    }
    return value;
  }

  private Object numbered(int tag, @Nullable LeafSerializer<?> leaf) {
    int number = values.size();
    values.add(null);
    unfinished.set(number);
    int loopsBefore = loops;
    int absentBefore = absent;
    ValueSerializer container = ContainerSerializers.tagged(tag);
    if (leaf != null) {
      fill(number, leaf.reader().apply(in));
    } else if (container instanceof CollectionSerializer collectionSerializer) {
      collectionSerializer.read(this, number);
    } else if (container instanceof MapSerializer mapSerializer) {
      mapSerializer.read(this, number);
    } else {
      objects.read(tag, number);
    }
    unfinished.clear(number);
    if (loops != loopsBefore) {
      leadingBack.set(number);
    }
    if (isSkipping() && absent != absentBefore) {
      fill(number, ABSENT);
    }
    Object value = values.get(number);
    if (value == null) {
      throw new AssertionError("every numbered value must be filled in; tag " + tag);
    }
    return value;
  }

  @Nullable Object[] values(int count) {
    @Nullable Object[] read = new Object[count];
    for (int i = 0; i < count; i++) {
      read[i] = value(Object.class);
    }
    return read;
  }

  void entries(Map<@Nullable Object, @Nullable Object> into) {
    int count = in.count();
    int loopsBefore = loops;
    @Nullable Object[] keys = new Object[count];
    @Nullable Object[] mapped = new Object[count];
    for (int i = 0; i < count; i++) {
      keys[i] = value(Object.class);
      mapped[i] = value(Object.class);
    }
    whenComplete(
        loopsBefore,
        () -> {
          for (int i = 0; i < count; i++) {
            into.put(keys[i], mapped[i]);
          }
        });
  }

  /** Fills a container now, or last if a reference back has occurred since {@code loopsBefore}. */
  void whenComplete(int loopsBefore, Runnable filling) {
    Runnable step = isSkipping() ? () -> unwanted(filling) : filling;
    if (loops == loopsBefore) {
      step.run();
    } else {
      last.add(step);
    }
  }

  private static void unwanted(Runnable filling) {
    try {
      filling.run();
    } catch (RuntimeException e) {
      // A skipped value may contain ABSENT, which has no valid type.
    }
  }

  /** The exception for a class outside the closed set. */
  UnreadableException unknown(String name) {
    return in.damaged(
        "class "
            + name
            + " is not among the classes of this object, or cannot be instantiated in "
            + "this process");
  }
}
