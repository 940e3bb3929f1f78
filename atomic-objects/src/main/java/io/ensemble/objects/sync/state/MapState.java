package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of a map. */
public class MapState {

  private Map<EncodedValue, EncodedValue> entries = new LinkedHashMap<>();

  @ReadOnly
  public @Nullable EncodedValue get(EncodedValue key) {
    return entries.get(key);
  }

  @ReadOnly
  public boolean containsKey(EncodedValue key) {
    return entries.containsKey(key);
  }

  @ReadOnly
  public int size() {
    return entries.size();
  }

  @ReadOnly
  public Map<EncodedValue, EncodedValue> snapshot() {
    return entries;
  }

  public @Nullable EncodedValue put(EncodedValue key, EncodedValue value) {
    return entries.put(key, value);
  }

  public @Nullable EncodedValue putIfAbsent(EncodedValue key, EncodedValue value) {
    return entries.putIfAbsent(key, value);
  }

  public void putAll(Map<EncodedValue, EncodedValue> more) {
    entries.putAll(more);
  }

  public @Nullable EncodedValue replace(EncodedValue key, EncodedValue value) {
    return entries.replace(key, value);
  }

  public boolean replaceIf(EncodedValue key, EncodedValue expected, EncodedValue value) {
    return entries.replace(key, expected, value);
  }

  public @Nullable EncodedValue remove(EncodedValue key) {
    return entries.remove(key);
  }

  public boolean removeIf(EncodedValue key, EncodedValue expected) {
    return entries.remove(key, expected);
  }

  public void clear() {
    entries.clear();
  }
}
