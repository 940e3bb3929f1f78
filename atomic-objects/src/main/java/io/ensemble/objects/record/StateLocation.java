package io.ensemble.objects.record;

import java.util.List;
import java.util.UUID;

/** Where an object's state is. */
public sealed interface StateLocation {

  /** In the root itself. */
  record Inline(ByteString state) implements StateLocation {}

  /**
   * In an entry of its own, as it was after step {@code at}; what was called since is here.
   *
   * @param snapshot which entry
   * @param at after which step it was taken
   * @param position how many calls had been applied by then
   * @param tail the calls applied by each step after {@code at}, one list for each
   */
  record Stored(UUID snapshot, long at, long position, List<List<ByteString>> tail)
      implements StateLocation {

    /** Copies the lists. */
    public Stored {
      tail = tail.stream().map(List::copyOf).toList();
    }

    /** How much the tail holds. */
    public long tailBytes() {
      return tail.stream().flatMap(List::stream).mapToLong(ByteString::size).sum();
    }
  }

  /** Nowhere: the object was disposed of. Its numbers stay, for those that had it open. */
  record Disposed() implements StateLocation {}
}
