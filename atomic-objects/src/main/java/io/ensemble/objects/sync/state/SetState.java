package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.LinkedHashSet;
import java.util.Set;

/** The state of a set. */
public class SetState {

  private Set<EncodedValue> items = new LinkedHashSet<>();

  @ReadOnly
  public boolean contains(EncodedValue encodedValue) {
    return items.contains(encodedValue);
  }

  @ReadOnly
  public int size() {
    return items.size();
  }

  @ReadOnly
  public Set<EncodedValue> snapshot() {
    return items;
  }

  public boolean add(EncodedValue encodedValue) {
    return items.add(encodedValue);
  }

  public boolean remove(EncodedValue encodedValue) {
    return items.remove(encodedValue);
  }

  public void clear() {
    items.clear();
  }
}
