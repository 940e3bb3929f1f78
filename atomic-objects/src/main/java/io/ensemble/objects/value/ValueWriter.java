package io.ensemble.objects.value;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Writes one value, on one thread. */
final class ValueWriter {

  /** The maximum nesting of values; deeper nesting could overflow the stack of some process. */
  static final int DEEPEST = 500;

  /** The maximum number of values written only as sort keys; bounds the cost of nested sets. */
  private static final int MOST_TO_SORT_BY = 1_000_000;

  private final ValueOutput out = new ValueOutput();
  private final SerializerRegistry serializerRegistry;
  private final boolean canonical;
  private final HandleTable values = new HandleTable();
  private final HandleTable shapes = new HandleTable();
  private final HandleTable names = new HandleTable();
  // Values being written that can only be made after their content.
  private final BitSet unmade = new BitSet();
  private int depth;
  private int sorting;
  private int leftToSortBy = MOST_TO_SORT_BY;

  ValueWriter(SerializerRegistry serializerRegistry, boolean canonical) {
    this.serializerRegistry = serializerRegistry;
    this.canonical = canonical;
    out.octet(TypeTag.FORMAT);
  }

  ValueOutput out() {
    return out;
  }

  /** Whether equal values must have equal bytes, whatever the insertion order of their parts. */
  boolean canonical() {
    return canonical;
  }

  void value(@Nullable Object value) {
    if (value == null) {
      out.octet(TypeTag.NULL);
      return;
    }
    if (sorting > 0) {
      leftToSortBy--;
    }
    ValueSerializer plan = serializerRegistry.of(value.getClass());
    if (plan.plain()) {
      plan.write(this, value);
      return;
    }
    Optional<ObjectReference> reference = serializerRegistry.references().of(value);
    if (reference.isPresent()) {
      out.octet(TypeTag.REFERENCE);
      out.text(reference.get().name());
      out.text(reference.get().type());
      return;
    }
    if (!plan.numbered()) {
      inside(plan, value);
      return;
    }
    int known = values.of(value);
    if (known < 0) {
      numbered(plan, value, values.count() - 1);
    } else if (unmade.get(known)) {
      throw new ValueWriteException(
          "it contains itself, but "
              + value.getClass().getName()
              + " can only be restored after all that it contains");
    } else {
      out.octet(TypeTag.BACK);
      out.number(known);
    }
  }

  private void numbered(ValueSerializer plan, Object value, int number) {
    if (!plan.madeLast()) {
      inside(plan, value);
      return;
    }
    unmade.set(number);
    inside(plan, value);
    unmade.clear(number);
  }

  private void inside(ValueSerializer plan, Object value) {
    if (depth == DEEPEST) {
      throw new ValueWriteException(
          "values are nested more than "
              + DEEPEST
              + " deep; keep long chains in a collection instead of links");
    }
    depth++;
    plan.write(this, value);
    depth--;
  }

  /** Writes a class: its name the first time, its number later. */
  void name(Class<?> type) {
    int known = names.of(type);
    out.number(known + 1L);
    if (known < 0) {
      out.text(type.getName());
    }
  }

  /**
   * Writes a class and the names of its fields: {@code header} the first time, its number later.
   */
  void shape(Object plan, byte[] header) {
    int known = shapes.of(plan);
    out.number(known + 1L);
    if (known < 0) {
      out.raw(header);
    }
  }

  void elements(@Nullable Object[] elements) {
    out.number(elements.length);
    for (int i = 0; i < elements.length; i++) {
      try {
        value(elements[i]);
      } catch (ValueWriteException e) {
        throw e.under("[" + i + "]");
      }
    }
  }

  void entries(Map<?, ?> table, boolean unordered) {
    // Keys and values together, since a concurrent map may change meanwhile.
    Object[] entries = table.entrySet().toArray();
    if (unordered && canonical) {
      entries = sorted(entries, entry -> ((Map.Entry<?, ?>) entry).getKey());
    }
    out.number(entries.length);
    for (Object each : entries) {
      Map.Entry<?, ?> entry = (Map.Entry<?, ?>) each;
      try {
        value(entry.getKey());
      } catch (ValueWriteException e) {
        throw e.under("[key " + shown(entry.getKey()) + "]");
      }
      try {
        value(entry.getValue());
      } catch (ValueWriteException e) {
        throw e.under("[" + shown(entry.getKey()) + "]");
      }
    }
  }

  private static String shown(@Nullable Object key) {
    if (key instanceof String text) {
      return text.length() > 40 ? '"' + text.substring(0, 40) + "…\"" : '"' + text + '"';
    }
    return key instanceof Number || key instanceof Enum<?>
        ? key.toString()
        : "of " + (key == null ? "null" : key.getClass().getSimpleName());
  }

  /**
   * Sorts by the bytes that {@code key} of each would have if it were written next. Where that
   * costs too much, returns the elements unsorted: in sets of nodes that refer to one another there
   * are many paths.
   */
  @Nullable Object[] sorted(@Nullable Object[] elements, UnaryOperator<@Nullable Object> key) {
    record Keyed(byte[] key, @Nullable Object element) {}
    Keyed[] keyed = new Keyed[elements.length];
    for (int i = 0; i < elements.length; i++) {
      if (leftToSortBy <= 0) {
        return elements;
      }
      keyed[i] = new Keyed(asIfNext(key.apply(elements[i])), elements[i]);
    }
    Arrays.sort(keyed, Comparator.comparing(Keyed::key, Arrays::compareUnsigned));
    return Arrays.stream(keyed).map(Keyed::element).toArray();
  }

  private byte[] asIfNext(@Nullable Object value) {
    int size = out.size();
    int valuesBefore = values.count();
    int shapesBefore = shapes.count();
    int namesBefore = names.count();
    sorting++;
    value(value);
    sorting--;
    values.back(valuesBefore);
    shapes.back(shapesBefore);
    names.back(namesBefore);
    return out.cut(size);
  }
}
