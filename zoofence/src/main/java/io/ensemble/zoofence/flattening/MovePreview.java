package io.ensemble.zoofence.flattening;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a move of a subtree would do. It was read while clients may have changed the subtree, so the
 * move itself may find something else.
 *
 * @param znodes the number of znodes in the subtree, its root included
 * @param dataBytes the data of these znodes, in bytes
 * @param copies what would be written at each instance that gets copies, by the instance's name
 * @param removals the number of znodes that would be removed at each instance that no longer holds
 *     them, by the instance's name
 * @param refusals reasons for which the move would be refused, at most {@link #MOST_REFUSALS};
 *     empty if none was found
 * @param refusalCount the number of reasons that were found
 */
public record MovePreview(
    long znodes,
    long dataBytes,
    Map<String, Copies> copies,
    Map<String, Long> removals,
    List<String> refusals,
    long refusalCount) {
  /** The maximum number of reasons in {@link #refusals}. */
  public static final int MOST_REFUSALS = 20;

  /**
   * What would be written at one instance.
   *
   * @param znodes the number of znodes that would be created
   * @param dataBytes the data of these znodes, in bytes
   * @param changes the number of further changes, by which the copies reach the versions and the
   *     counts of children of their originals
   */
  public record Copies(long znodes, long dataBytes, long changes) {
    /** Nothing. */
    public static final Copies NONE = new Copies(0, 0, 0);

    /** Both together. */
    public Copies plus(Copies others) {
      return new Copies(
          znodes + others.znodes, dataBytes + others.dataBytes, changes + others.changes);
    }
  }

  public MovePreview {
    copies = new TreeMap<>(copies);
    removals = new TreeMap<>(removals);
    refusals = List.copyOf(refusals);
  }

  /** Whether the move would be refused, as far as that can be known. */
  public boolean isRefused() {
    return refusalCount > 0;
  }
}
