package io.ensemble.heat;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Entries that several recorders of a test share; requests fail when the test says so. */
final class MemoryEntries implements HeatEntries {

  final Map<String, byte[]> entries = new TreeMap<>();
  final Map<String, Integer> puts = new TreeMap<>();

  /** How many entries were asked for. */
  int requested;

  /** How many further puts fail. */
  int failures;

  /** Whether puts that fail are applied. */
  boolean applies;

  @Override
  public synchronized void put(String key, byte[] value, Duration lifespan) {
    puts.merge(key, 1, Integer::sum);
    if (failures > 0) {
      failures--;
      if (applies) {
        entries.put(key, value.clone());
      }
      throw new IllegalStateException("planned");
    }
    entries.put(key, value.clone());
  }

  @Override
  public synchronized void change(
      String key, UnaryOperator<byte @Nullable []> change, Duration lifespan) {
    entries.put(key, change.apply(entries.get(key)));
  }

  @Override
  public Map<String, byte[]> getLists(Set<String> keys) {
    return getAll(keys);
  }

  @Override
  public synchronized Map<String, byte[]> getAll(Set<String> keys) {
    requested += keys.size();
    Map<String, byte[]> found = new HashMap<>();
    keys.stream()
        .filter(entries::containsKey)
        .forEach(key -> found.put(key, requireNonNull(entries.get(key))));
    return found;
  }
}
