package io.ensemble.objects.record;

import java.util.List;
import java.util.UUID;

/** The location of the state of an object. */
public sealed interface StateLocation {

  /** The state is in the root. */
  record Inline(ByteString state) implements StateLocation {}

  /**
   * The state after step {@code at} is in an entry of its own; the later calls are in the root.
   *
   * @param snapshot the name of the entry
   * @param at the step after which it was taken
   * @param position the number of calls applied by then
   * @param tail the calls applied by each step after {@code at}, one list for each
   */
  record Stored(UUID snapshot, long at, long position, List<List<ByteString>> tail)
      implements StateLocation {

    /** Copies the lists. */
    public Stored {
      tail = tail.stream().map(List::copyOf).toList();
    }

    /** The bytes of all calls in the tail. */
    public long tailBytes() {
      return tail.stream().flatMap(List::stream).mapToLong(ByteString::size).sum();
    }
  }

  /**
   * There is no state: the object was disposed of. Its numbers remain, for sessions that had it
   * open.
   */
  record Disposed() implements StateLocation {}
}
