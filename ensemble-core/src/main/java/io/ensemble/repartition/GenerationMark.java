package io.ensemble.repartition;

/**
 * The mark that a distributed cache writes into a part: the lowest generation that may use the
 * part, and the mover that may move keys. Marks only grow.
 *
 * @param generation users of this generation and later ones may use the part; 0 while there is no
 *     mark
 * @param turn the turn of the mover that wrote the mark; 0 while there is no mark
 */
public record GenerationMark(long generation, long turn) implements Comparable<GenerationMark> {

  /** The state of a part without a mark: all generations may use it. */
  public static final GenerationMark NONE = new GenerationMark(0, 0);

  public GenerationMark {
    if (generation < 0 || turn < 0) {
      throw new IllegalArgumentException(
          "generation and turn must not be negative; generation=%d turn=%d"
              .formatted(generation, turn));
    }
  }

  @Override
  public int compareTo(GenerationMark other) {
    return generation == other.generation
        ? Long.compare(turn, other.turn)
        : Long.compare(generation, other.generation);
  }
}
