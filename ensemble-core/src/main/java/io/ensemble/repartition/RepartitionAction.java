package io.ensemble.repartition;

import java.util.Set;
import java.util.TreeSet;

/** What a mover of keys does next. Each is harmless when it is done again. */
public sealed interface RepartitionAction {

  /** Put marks in these parts. */
  record PutMarks(Set<String> parts) implements RepartitionAction {
    public PutMarks {
      parts = new TreeSet<>(parts);
    }
  }

  /** Wait, at least until then. */
  record Outwait(long untilNanos) implements RepartitionAction {}

  /** Have the record say that the moving share is served by nobody. */
  record Begin() implements RepartitionAction {}

  /** Move what is to be moved out of this part. */
  record Move(String part) implements RepartitionAction {}

  /** Have the record say that the part is done: its share is served at its new parts. */
  record Release(String part) implements RepartitionAction {}

  /** Have the record say that it is over. */
  record Finish() implements RepartitionAction {}
}
