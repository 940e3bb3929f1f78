package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a map is. */
class MapState {

  private Map<Item, Item> entries = new LinkedHashMap<>();

  @ReadOnly
  public @Nullable Item get(Item key) {
    return entries.get(key);
  }

  @ReadOnly
  public boolean containsKey(Item key) {
    return entries.containsKey(key);
  }

  @ReadOnly
  public int size() {
    return entries.size();
  }

  @ReadOnly
  public Map<Item, Item> snapshot() {
    return entries;
  }

  public @Nullable Item put(Item key, Item value) {
    return entries.put(key, value);
  }

  public @Nullable Item putIfAbsent(Item key, Item value) {
    return entries.putIfAbsent(key, value);
  }

  public void putAll(Map<Item, Item> more) {
    entries.putAll(more);
  }

  public @Nullable Item replace(Item key, Item value) {
    return entries.replace(key, value);
  }

  public boolean replaceIf(Item key, Item expected, Item value) {
    return entries.replace(key, expected, value);
  }

  public @Nullable Item remove(Item key) {
    return entries.remove(key);
  }

  public boolean removeIf(Item key, Item expected) {
    return entries.remove(key, expected);
  }

  public void clear() {
    entries.clear();
  }
}
