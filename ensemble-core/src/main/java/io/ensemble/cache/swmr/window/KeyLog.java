package io.ensemble.cache.swmr.window;

import io.ensemble.cache.Payload;
import io.ensemble.cache.swmr.window.WindowSlot.Write;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.Term;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one key in one epoch that the primary has and a majority perhaps has not, in order.
 * Only the last is copied: a site that holds it needs none of the earlier writes. Guarded by its
 * {@link ReplicationWindow}.
 */
final class KeyLog {

  /** A write in its slot. */
  record WaitingWrite(WindowSlot slot, Write write) {}

  final Term term;
  private final Deque<WaitingWrite> waitingWrites = new ArrayDeque<>();
  Copy<Payload> newest;

  /** Whether a copy is under way. */
  boolean copying;

  /** The copy that a majority holds while it is not known that the epoch lasted until then. */
  @Nullable CopyPosition arrivedPosition;

  long arrivedAtNanos;

  KeyLog(Term term, Copy<Payload> firstCopy) {
    this.term = term;
    newest = firstCopy;
  }

  void add(WaitingWrite waitingWrite, Copy<Payload> copy) {
    waitingWrites.add(waitingWrite);
    newest = copy;
  }

  /**
   * Removes and returns the slots that need no longer wait, because a majority holds {@code
   * copyPosition}.
   */
  List<WindowSlot> removeUpTo(CopyPosition copyPosition) {
    List<WindowSlot> removed = new ArrayList<>();
    while (!waitingWrites.isEmpty()
        && !waitingWrites.element().write().mark().isAbove(copyPosition)) {
      removed.add(waitingWrites.remove().slot());
    }
    return removed;
  }

  Map<WindowSlot, Write> writesBySlot() {
    Map<WindowSlot, Write> writesBySlot = new LinkedHashMap<>();
    waitingWrites.forEach(
        waitingWrite -> writesBySlot.put(waitingWrite.slot(), waitingWrite.write()));
    return writesBySlot;
  }

  boolean isEmpty() {
    return waitingWrites.isEmpty();
  }

  /** Whether the newest write is still to be copied. */
  boolean hasUncopiedWrite() {
    return !isEmpty() && (arrivedPosition == null || newest.mark().isAbove(arrivedPosition));
  }

  static long size(Copy<Payload> copy) {
    Payload value = copy.value();
    return value == null ? 0 : value.value().size();
  }
}
