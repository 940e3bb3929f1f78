package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;
import java.util.LinkedHashSet;
import java.util.Set;

/** What a set is. */
class SetState {

  private Set<Item> items = new LinkedHashSet<>();

  @ReadOnly
  public boolean contains(Item item) {
    return items.contains(item);
  }

  @ReadOnly
  public int size() {
    return items.size();
  }

  @ReadOnly
  public Set<Item> snapshot() {
    return items;
  }

  public boolean add(Item item) {
    return items.add(item);
  }

  public boolean remove(Item item) {
    return items.remove(item);
  }

  public void clear() {
    items.clear();
  }
}
