package io.ensemble.objects.value;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Numbers objects in the order in which they are first used. */
final class HandleTable {

  private final Map<Object, Integer> numbers = new IdentityHashMap<>(4);
  private final List<Object> things = new ArrayList<>(4);

  /** The number of {@code thing}, or -1 if it is new and now has {@code count() - 1}. */
  int of(Object thing) {
    Integer number = numbers.putIfAbsent(thing, things.size());
    if (number != null) {
      return number;
    }
    things.add(thing);
    return -1;
  }

  int count() {
    return things.size();
  }

  /** Removes all but the first {@code count}. */
  void back(int count) {
    for (int last = things.size() - 1; last >= count; last--) {
      numbers.remove(things.remove(last));
    }
  }
}
