package io.ensemble.objects.value;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The comparators that can be written with a sorted collection: those that every process has. */
final class KnownComparators {

  private static final List<@Nullable Comparator<?>> ALL =
      Arrays.asList(
          null,
          Comparator.naturalOrder(),
          Collections.reverseOrder(),
          String.CASE_INSENSITIVE_ORDER);

  private KnownComparators() {}

  static void write(ValueOutput out, @Nullable Comparator<?> order) {
    int index = ALL.indexOf(order);
    if (index < 0) {
      throw new ValueWriteException(
          "its comparator cannot be serialized; let the elements be Comparable");
    }
    out.octet(index);
  }

  @SuppressWarnings("unchecked") // a wrong order fails when it is used
  static @Nullable Comparator<Object> read(ValueInput in) {
    return (Comparator<Object>) ALL.get(in.index(ALL.size()));
  }
}
