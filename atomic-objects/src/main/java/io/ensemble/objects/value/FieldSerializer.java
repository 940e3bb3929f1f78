package io.ensemble.objects.value;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The serializer of an application class: its name and the names of its fields once, then their
 * values.
 */
final class FieldSerializer implements ValueSerializer {

  /** How an instance is made. */
  interface Maker {

    /**
     * Whether it is made from the values of all fields, in their order, rather than filled later.
     */
    boolean fromValues();

    Object make(@Nullable Object[] values) throws ReflectiveOperationException;
  }

  /** A field, under a name that is unique in the class and its superclasses. */
  record Slot(String name, Field field, @Nullable Object initial) {}

  private final Class<?> type;
  private final List<Slot> slots;
  private final Map<String, Integer> places;
  private final Maker maker;
  private final byte[] header;

  FieldSerializer(Class<?> type, List<Slot> slots, Maker maker) {
    this.type = type;
    this.slots = slots;
    this.maker = maker;
    this.places = new HashMap<>();
    ValueOutput out = new ValueOutput();
    out.text(type.getName());
    out.number(slots.size());
    for (Slot each : slots) {
      places.put(each.name(), places.size());
      out.text(each.name());
    }
    this.header = out.toBytes();
  }

  Class<?> type() {
    return type;
  }

  Maker maker() {
    return maker;
  }

  /** The index of a field, or -1 if the class no longer has a field of this name. */
  int place(String name) {
    return places.getOrDefault(name, -1);
  }

  Slot slot(int place) {
    return slots.get(place);
  }

  /** The values of fields that the bytes do not contain; for {@link Maker#make}. */
  @Nullable Object[] initial() {
    @Nullable Object[] values = new Object[slots.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = slots.get(i).initial();
    }
    return values;
  }

  @Override
  public boolean madeLast() {
    return maker.fromValues();
  }

  @Override
  public void write(ValueWriter to, Object value) {
    to.out().octet(TypeTag.OBJECT);
    to.shape(this, header);
    for (int i = 0; i < slots.size(); i++) {
      Slot slot = slots.get(i);
      try {
        to.value(slot.field().get(value));
      } catch (ValueWriteException e) {
        throw e.under("." + slot.name());
      } catch (IllegalAccessException e) {
        throw new AssertionError("a field was made accessible: " + slot.field(), e);
      }
    }
  }
}
