package io.ensemble.check.workload;

import io.ensemble.objects.ReadOnly;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Entries of values under names. */
public class CheckedMap {
  private final TreeMap<String, Long> entries = new TreeMap<>();

  /** Creates an empty map. */
  public CheckedMap() {}

  /** The value of an entry; null if there is none. */
  @ReadOnly
  public @Nullable Long get(String entry) {
    return entries.get(entry);
  }

  /** The number of entries. */
  @ReadOnly
  public long size() {
    return entries.size();
  }

  /** All entries. */
  @ReadOnly
  public TreeMap<String, Long> snapshot() {
    return entries;
  }

  /** Sets an entry, and returns its former value; null for none. */
  public @Nullable Long put(String entry, long value) {
    return entries.put(entry, value);
  }

  /** Sets an entry if there is none. */
  public boolean putIfAbsent(String entry, long value) {
    return entries.putIfAbsent(entry, value) == null;
  }

  /** Sets an entry if its value is as expected; null for none. */
  public boolean compareAndSet(String entry, @Nullable Long expected, long value) {
    if (!Objects.equals(entries.get(entry), expected)) {
      return false;
    }
    entries.put(entry, value);
    return true;
  }

  /** Removes an entry, and returns its value; null for none. */
  public @Nullable Long remove(String entry) {
    return entries.remove(entry);
  }

  /** Sets several entries. */
  public void putAll(Map<String, Long> more) {
    entries.putAll(more);
  }

  /** Removes all entries. */
  public void clear() {
    entries.clear();
  }
}
