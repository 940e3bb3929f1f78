package io.ensemble.register;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How far each site has come in the current phase of an operation, and the request it owes an
 * answer to.
 */
final class AcceptorTracker<V> {

  /** One site's progress. */
  enum Progress {
    /** Asked for its cell. */
    READING,
    /** Showed its cell. */
    READ,
    /** Asked to promise. */
    PROMISING,
    /** Promised; its cell tells what it had accepted. */
    PROMISED,
    /** Promised, and asked for its cell again. */
    CONFIRMING,
    /** Showed that the promise is in place. */
    CONFIRMED,
    /** Asked to accept. */
    ACCEPTING,
    /** Stores what was proposed. */
    ACCEPTED,
    /** Promised or accepted something else. */
    REFUSED,
    /** Gave no answer in time. */
    LOST
  }

  private static final int NOTHING = 0;

  private final Progress[] progress;
  private final int[] awaited;
  private final boolean[] swapping;
  private final @Nullable VersionedCell<V>[] versionedCell;
  private int lastTag;

  @SuppressWarnings({"unchecked", "rawtypes"})
  AcceptorTracker(int count) {
    progress = new Progress[count];
    Arrays.fill(progress, Progress.LOST);
    awaited = new int[count];
    swapping = new boolean[count];
    versionedCell = (VersionedCell<V>[]) new VersionedCell[count];
  }

  private AcceptorTracker(AcceptorTracker<V> other) {
    progress = other.progress.clone();
    awaited = other.awaited.clone();
    swapping = other.swapping.clone();
    versionedCell = other.versionedCell.clone();
    lastTag = other.lastTag;
  }

  AcceptorTracker<V> copy() {
    return new AcceptorTracker<>(this);
  }

  int size() {
    return progress.length;
  }

  Progress at(int site) {
    return progress[site];
  }

  /** Takes note of an answer; false when nobody waits for it any more. */
  boolean answered(int site, int tag) {
    if (awaited[site] != tag) {
      return false;
    }
    awaited[site] = NOTHING;
    return true;
  }

  boolean awaits(int site, int tag) {
    return awaited[site] == tag;
  }

  boolean lastWasSwap(int site) {
    return swapping[site];
  }

  void set(int site, Progress to) {
    progress[site] = to;
    if (to == Progress.ACCEPTED || to == Progress.REFUSED || to == Progress.LOST) {
      versionedCell[site] = null;
    }
  }

  void show(int site, VersionedCell<V> shown) {
    versionedCell[site] = shown;
  }

  VersionedCell<V> shown(int site) {
    VersionedCell<V> shown = versionedCell[site];
    if (shown == null) {
      throw new AssertionError(
          "a site that made progress showed its cell; site="
              + site
              + " progress="
              + progress[site]);
    }
    return shown;
  }

  List<RegisterRequest<V>> readAll() {
    List<RegisterRequest<V>> requests = new ArrayList<>(progress.length);
    for (int site = 0; site < progress.length; site++) {
      versionedCell[site] = null;
      requests.add(read(site, Progress.READING));
    }
    return requests;
  }

  void remember(List<VersionedCell<V>> remembered) {
    for (int site = 0; site < progress.length; site++) {
      versionedCell[site] = remembered.get(site);
      progress[site] = Progress.READ;
    }
  }

  RegisterRequest<V> read(int site, Progress to) {
    progress[site] = to;
    versionedCell[site] = null;
    swapping[site] = false;
    awaited[site] = ++lastTag;
    return new RegisterRequest.Read<>(site, lastTag);
  }

  RegisterRequest<V> swap(int site, Progress to, Cell<V> cell) {
    progress[site] = to;
    swapping[site] = true;
    awaited[site] = ++lastTag;
    return new RegisterRequest.Swap<>(site, lastTag, shown(site), cell);
  }

  /** Asks every site that showed a fitting cell to accept {@code cell}; gives up the others. */
  List<RegisterRequest<V>> proposeWhere(
      Cell<V> cell, Predicate<Cell<V>> holds, Predicate<Cell<V>> takes) {
    List<RegisterRequest<V>> requests = new ArrayList<>(progress.length);
    for (int site = 0; site < progress.length; site++) {
      Cell<V> current = progress[site] == Progress.READ ? shown(site).cell() : null;
      if (current != null && holds.test(current)) {
        set(site, Progress.ACCEPTED);
      } else if (current != null && takes.test(current)) {
        requests.add(swap(site, Progress.ACCEPTING, cell));
      } else {
        awaited[site] = NOTHING;
        set(site, Progress.REFUSED);
      }
    }
    return requests;
  }

  void loseOutstanding() {
    for (int site = 0; site < progress.length; site++) {
      if (awaited[site] != NOTHING) {
        awaited[site] = NOTHING;
        set(site, Progress.LOST);
      }
    }
  }

  int count(Progress wanted) {
    int count = 0;
    for (Progress one : progress) {
      if (one == wanted) {
        count++;
      }
    }
    return count;
  }

  /** Which sites have come so far. */
  Set<Integer> that(Progress wanted) {
    Set<Integer> found = new TreeSet<>();
    for (int site = 0; site < progress.length; site++) {
      if (progress[site] == wanted) {
        found.add(site);
      }
    }
    return found;
  }

  List<Cell<V>> cells(Progress wanted) {
    List<Cell<V>> cells = new ArrayList<>(progress.length);
    for (int site = 0; site < progress.length; site++) {
      if (progress[site] == wanted) {
        cells.add(shown(site).cell());
      }
    }
    return cells;
  }

  /** How many sites answered, whatever they answered. */
  int heard() {
    int heard = 0;
    for (int site = 0; site < progress.length; site++) {
      if (progress[site] != Progress.LOST && awaited[site] == NOTHING) {
        heard++;
      }
    }
    return heard;
  }

  long digest(int site) {
    VersionedCell<V> shown = versionedCell[site];
    long owed = awaited[site] == NOTHING ? 0 : swapping[site] ? 2 : 1;
    return RegisterDigest.of(
        shown == null ? 0 : RegisterDigest.of(shown.cell()),
        progress[site].name().hashCode() * 4L + owed);
  }
}
