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

    /**
     * Whether the state after {@code root} is that of the snapshot and of the first steps of the
     * tail. A snapshot that {@code root} announces was taken after {@code root}'s own past, since
     * only one step ever announces a name.
     */
    boolean continues(ObjectRoot root) {
      List<List<ByteString>> past = root.body() instanceof Stored s ? s.tail : List.of();
      if (root.body() instanceof Stored before && before.snapshot.equals(snapshot)) {
        return startsWith(past);
      }
      SnapshotAnnouncement announced = root.announced();
      int since = (int) (root.sequence() - at);
      return announced != null
          && announced.snapshot().equals(snapshot)
          && announced.sequence() == at
          && since <= past.size()
          && startsWith(past.subList(past.size() - since, past.size()));
    }

    private boolean startsWith(List<List<ByteString>> steps) {
      return steps.size() <= tail.size() && tail.subList(0, steps.size()).equals(steps);
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
