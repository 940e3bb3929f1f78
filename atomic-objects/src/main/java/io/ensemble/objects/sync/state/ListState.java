package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayList;
import java.util.List;

/** The state of a list. */
public class ListState {

  private List<EncodedValue> items = new ArrayList<>();

  @ReadOnly
  public EncodedValue get(int index) {
    return items.get(index);
  }

  @ReadOnly
  public int size() {
    return items.size();
  }

  @ReadOnly
  public List<EncodedValue> snapshot() {
    return items;
  }

  /** Returns the index of the new element. */
  public int append(EncodedValue encodedValue) {
    items.add(encodedValue);
    return items.size() - 1;
  }

  public void insert(int index, EncodedValue encodedValue) {
    items.add(index, encodedValue);
  }

  public EncodedValue set(int index, EncodedValue encodedValue) {
    return items.set(index, encodedValue);
  }

  public EncodedValue remove(int index) {
    return items.remove(index);
  }

  public void clear() {
    items.clear();
  }
}
