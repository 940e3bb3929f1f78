package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayDeque;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The state of a queue. */
public class QueueState implements DeclaredSize {

  private ArrayDeque<EncodedValue> items = new ArrayDeque<>();
  private int capacity;

  public QueueState() {
    this(Integer.MAX_VALUE);
  }

  public QueueState(int capacity) {
    this.capacity = capacity;
  }

  @Override
  @ReadOnly
  public int declared() {
    return capacity;
  }

  @ReadOnly
  public @Nullable EncodedValue peek() {
    return items.peekFirst();
  }

  @ReadOnly
  public int size() {
    return items.size();
  }

  @ReadOnly
  public Collection<EncodedValue> snapshot() {
    return items;
  }

  public boolean enqueue(EncodedValue encodedValue) {
    if (items.size() >= capacity) {
      return false;
    }
    items.addLast(encodedValue);
    return true;
  }

  public @Nullable EncodedValue dequeue() {
    return items.pollFirst();
  }

  /** Removes the first element that equals this one. */
  public boolean remove(EncodedValue encodedValue) {
    return items.removeFirstOccurrence(encodedValue);
  }

  public void clear() {
    items.clear();
  }

  /** Puts back an element that was taken for a caller that no longer waited. */
  public void putBack(EncodedValue encodedValue) {
    items.addFirst(encodedValue);
  }
}
