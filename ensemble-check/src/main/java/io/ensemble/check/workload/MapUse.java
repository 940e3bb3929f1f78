package io.ensemble.check.workload;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client of a map. */
final class MapUse implements ObjectUse {
  private static final int ENTRIES = 6;

  private final CheckedMap map;
  private final Map<String, @Nullable Long> guesses = new HashMap<>();

  MapUse(CheckedMap map) {
    this.map = map;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    int at = random.nextInt(ENTRIES);
    String entry = "e" + at;
    Long expected = guesses.get(entry);
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> of("read", entry, null, () -> map.get(entry));
      case 6, 7, 8 -> of("swap", entry, fresh, () -> map.put(entry, fresh));
      case 9, 10, 11, 12 ->
          of(
              "cas",
              entry,
              Arrays.asList(expected, fresh),
              () -> map.compareAndSet(entry, expected, fresh));
      case 13 -> of("put_if_absent", entry, fresh, () -> map.putIfAbsent(entry, fresh));
      case 14, 15 -> of("get_and_remove", entry, null, () -> map.remove(entry));
      case 16 -> ObjectCall.of("size", null, map::size);
      case 17 -> {
        TreeMap<String, Long> more = new TreeMap<>();
        more.put(entry, fresh);
        more.put("e" + (at + 1) % ENTRIES, fresh);
        yield ObjectCall.of("put_all", more, () -> map.putAll(more));
      }
      case 18 -> random.nextInt(4) == 0 ? ObjectCall.of("clear", null, map::clear) : last();
      default -> last();
    };
  }

  private static ObjectCall of(
      String op, String entry, @Nullable Object in, Supplier<? extends @Nullable Object> ask) {
    return new ObjectCall(op, entry, in, ask);
  }

  @Override
  public void returned(ObjectCall call, @Nullable Object result) {
    String entry = call.entry();
    if (entry != null && call.op().equals("read")) {
      guesses.put(entry, (Long) result);
    }
  }

  @Override
  public ObjectCall last() {
    return ObjectCall.of("snapshot", null, map::snapshot);
  }
}
