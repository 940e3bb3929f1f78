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
  private final int[] awaitedTags;
  private final boolean[] swapping;
  private final @Nullable VersionedCell<V>[] versionedCells;
  private int lastTag;

  @SuppressWarnings({"unchecked", "rawtypes"})
  AcceptorTracker(int count) {
    progress = new Progress[count];
    Arrays.fill(progress, Progress.LOST);
    awaitedTags = new int[count];
    swapping = new boolean[count];
    versionedCells = (VersionedCell<V>[]) new VersionedCell[count];
  }

  private AcceptorTracker(AcceptorTracker<V> other) {
    progress = other.progress.clone();
    awaitedTags = other.awaitedTags.clone();
    swapping = other.swapping.clone();
    versionedCells = other.versionedCells.clone();
    lastTag = other.lastTag;
  }

  AcceptorTracker<V> copy() {
    return new AcceptorTracker<>(this);
  }

  int size() {
    return progress.length;
  }

  Progress progressOf(int site) {
    return progress[site];
  }

  /** Records a response; false when the response is no longer awaited. */
  boolean acceptResponse(int site, int tag) {
    if (awaitedTags[site] != tag) {
      return false;
    }
    awaitedTags[site] = NOTHING;
    return true;
  }

  boolean awaits(int site, int tag) {
    return awaitedTags[site] == tag;
  }

  boolean isLastRequestSwap(int site) {
    return swapping[site];
  }

  void set(int site, Progress nextProgress) {
    progress[site] = nextProgress;
    if (nextProgress == Progress.ACCEPTED
        || nextProgress == Progress.REFUSED
        || nextProgress == Progress.LOST) {
      versionedCells[site] = null;
    }
  }

  void recordCell(int site, VersionedCell<V> versionedCell) {
    versionedCells[site] = versionedCell;
  }

  VersionedCell<V> cellOf(int site) {
    VersionedCell<V> versionedCell = versionedCells[site];
    if (versionedCell == null) {
      throw new AssertionError(
          "a site that made progress must have returned its cell; site="
              + site
              + " progress="
              + progress[site]);
    }
    return versionedCell;
  }

  List<RegisterRequest<V>> readAll() {
    List<RegisterRequest<V>> requests = new ArrayList<>(progress.length);
    for (int site = 0; site < progress.length; site++) {
      versionedCells[site] = null;
      requests.add(read(site, Progress.READING));
    }
    return requests;
  }

  void restoreCells(List<VersionedCell<V>> knownCells) {
    for (int site = 0; site < progress.length; site++) {
      versionedCells[site] = knownCells.get(site);
      progress[site] = Progress.READ;
    }
  }

  RegisterRequest<V> read(int site, Progress nextProgress) {
    progress[site] = nextProgress;
    versionedCells[site] = null;
    swapping[site] = false;
    awaitedTags[site] = ++lastTag;
    return new RegisterRequest.Read<>(site, lastTag);
  }

  RegisterRequest<V> swap(int site, Progress nextProgress, Cell<V> cell) {
    progress[site] = nextProgress;
    swapping[site] = true;
    awaitedTags[site] = ++lastTag;
    return new RegisterRequest.Swap<>(site, lastTag, cellOf(site), cell);
  }

  /**
   * Asks every site that showed a fitting cell to accept {@code cell}; the others count as
   * refusing.
   */
  List<RegisterRequest<V>> proposeWhere(
      Cell<V> cell, Predicate<Cell<V>> hasAccepted, Predicate<Cell<V>> canAccept) {
    List<RegisterRequest<V>> requests = new ArrayList<>(progress.length);
    for (int site = 0; site < progress.length; site++) {
      Cell<V> current = progress[site] == Progress.READ ? cellOf(site).cell() : null;
      if (current != null && hasAccepted.test(current)) {
        set(site, Progress.ACCEPTED);
      } else if (current != null && canAccept.test(current)) {
        requests.add(swap(site, Progress.ACCEPTING, cell));
      } else {
        awaitedTags[site] = NOTHING;
        set(site, Progress.REFUSED);
      }
    }
    return requests;
  }

  void markOutstandingLost() {
    for (int site = 0; site < progress.length; site++) {
      if (awaitedTags[site] != NOTHING) {
        awaitedTags[site] = NOTHING;
        set(site, Progress.LOST);
      }
    }
  }

  int count(Progress expected) {
    int count = 0;
    for (Progress siteProgress : progress) {
      if (siteProgress == expected) {
        count++;
      }
    }
    return count;
  }

  /** The sites in this state. */
  Set<Integer> sitesIn(Progress expected) {
    Set<Integer> sites = new TreeSet<>();
    for (int site = 0; site < progress.length; site++) {
      if (progress[site] == expected) {
        sites.add(site);
      }
    }
    return sites;
  }

  List<Cell<V>> cells(Progress expected) {
    List<Cell<V>> cells = new ArrayList<>(progress.length);
    for (int site = 0; site < progress.length; site++) {
      if (progress[site] == expected) {
        cells.add(cellOf(site).cell());
      }
    }
    return cells;
  }

  /** How many sites answered, with any response. */
  int countResponses() {
    int responses = 0;
    for (int site = 0; site < progress.length; site++) {
      if (progress[site] != Progress.LOST && awaitedTags[site] == NOTHING) {
        responses++;
      }
    }
    return responses;
  }

  long digest(int site) {
    VersionedCell<V> versionedCell = versionedCells[site];
    long outstanding = awaitedTags[site] == NOTHING ? 0 : swapping[site] ? 2 : 1;
    return RegisterDigest.of(
        versionedCell == null ? 0 : RegisterDigest.of(versionedCell.cell()),
        progress[site].name().hashCode() * 4L + outstanding);
  }
}
