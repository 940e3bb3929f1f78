package io.ensemble.repartition;

/**
 * What stands in a part for a distributed cache: up to which generation its users may use the part,
 * and whose turn it is to move keys. Marks only grow.
 *
 * @param generation from this one on the part may be used; 0 while there is no mark
 * @param turn of the mover that put it; 0 while there is no mark
 */
public record GenerationMark(long generation, long turn) implements Comparable<GenerationMark> {

  /** Where none has been put: all generations may use the part. */
  public static final GenerationMark NONE = new GenerationMark(0, 0);

  public GenerationMark {
    if (generation < 0 || turn < 0) {
      throw new IllegalArgumentException(
          "generations and turns are not negative; generation=%d turn=%d"
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
