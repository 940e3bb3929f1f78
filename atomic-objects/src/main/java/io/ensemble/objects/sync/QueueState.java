package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayDeque;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What a queue is. */
class QueueState implements Sized {

  private ArrayDeque<Item> items = new ArrayDeque<>();
  private int capacity;

  QueueState() {
    this(Integer.MAX_VALUE);
  }

  QueueState(int capacity) {
    this.capacity = capacity;
  }

  @Override
  @ReadOnly
  public int declared() {
    return capacity;
  }

  @ReadOnly
  public @Nullable Item peek() {
    return items.peekFirst();
  }

  @ReadOnly
  public int size() {
    return items.size();
  }

  @ReadOnly
  public Collection<Item> snapshot() {
    return items;
  }

  public boolean enqueue(Item item) {
    if (items.size() >= capacity) {
      return false;
    }
    items.addLast(item);
    return true;
  }

  public @Nullable Item dequeue() {
    return items.pollFirst();
  }

  /** What was taken out for somebody who had gone. */
  public void putBack(Item item) {
    items.addFirst(item);
  }
}
