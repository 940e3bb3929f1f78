package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayList;
import java.util.List;

/** What a list is. */
class ListState {

  private List<Item> items = new ArrayList<>();

  @ReadOnly
  public Item get(int index) {
    return items.get(index);
  }

  @ReadOnly
  public int size() {
    return items.size();
  }

  @ReadOnly
  public List<Item> snapshot() {
    return items;
  }

  /** Gives the place where it is now. */
  public int append(Item item) {
    items.add(item);
    return items.size() - 1;
  }

  public void insert(int index, Item item) {
    items.add(index, item);
  }

  public Item set(int index, Item item) {
    return items.set(index, item);
  }

  public Item remove(int index) {
    return items.remove(index);
  }

  public void clear() {
    items.clear();
  }
}
