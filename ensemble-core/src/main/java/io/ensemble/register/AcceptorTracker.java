package io.ensemble.register;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The progress of each site in the current phase of an operation, and the request to which a
 * response is due.
 */
final class AcceptorTracker<V> {

  /** The progress of one site. */
  enum Progress {
    /** The cell was requested. */
    READING,
    /** The site showed its cell. */
    READ,
    /** A promise was requested. */
    PROMISING,
    /** The site promised; its cell shows which content it had accepted. */
    PROMISED,
    /** The site promised, and its cell was requested again. */
    CONFIRMING,
    /** The site showed that the promise is in place. */
    CONFIRMED,
    /** Acceptance was requested. */
    ACCEPTING,
    /** The site stores the proposal. */
    ACCEPTED,
    /** The site promised or accepted another ballot. */
    REFUSED,
    /** The site gave no response in time. */
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

  /** Records a response; false when the response is no longer awaited. */
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
          "a site that made progress must have returned its cell; site="
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

  /**
   * Asks every site that showed a fitting cell to accept {@code cell}; the others count as
   * refusing.
   */
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

  /** The sites in this state. */
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

  /** How many sites answered, with any response. */
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
