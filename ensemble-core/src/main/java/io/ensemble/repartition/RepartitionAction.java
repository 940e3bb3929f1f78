package io.ensemble.repartition;

import java.util.Set;
import java.util.TreeSet;

/** The next action of a mover of keys. Each action may be repeated without harm. */
public sealed interface RepartitionAction {

  /** Write marks into these parts. */
  record PutMarks(Set<String> parts) implements RepartitionAction {
    public PutMarks {
      parts = new TreeSet<>(parts);
    }
  }

  /** Wait, at least until this time. */
  record AwaitLeaseExpiry(long untilNanos) implements RepartitionAction {}

  /** Record that no part serves the moving share. */
  record Begin() implements RepartitionAction {}

  /** Move the moving share out of this part. */
  record Move(String part) implements RepartitionAction {}

  /** Record that the part is done: its share is served at its new parts. */
  record Release(String part) implements RepartitionAction {}

  /** Record the end of the change. */
  record Finish() implements RepartitionAction {}
}
