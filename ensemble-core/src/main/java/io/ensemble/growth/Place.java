package io.ensemble.growth;

/**
 * Where a key is served.
 *
 * @param part its part; where it comes from while it is {@code held}
 * @param generation up to which a mark in the part may be, for its answers to count
 * @param held whether nobody serves it now
 */
public record Place(String part, long generation, boolean held) {

  /**
   * The place of a key while nothing changes.
   *
   * @param generation the present one
   */
  public static Place settled(String part, long generation) {
    return new Place(part, generation, false);
  }

  /**
   * The place of a key while the parts change.
   *
   * @param from its former part
   * @param to its new part
   * @param generation the former one
   */
  public static Place changing(String from, String to, long generation, Growth growth) {
    if (from.equals(to)) {
      return new Place(from, generation + 1, false); // Whatever comes of the change.
    }
    if (growth.step() == GrowthStep.MARKING) {
      return new Place(from, generation, false);
    }
    return growth.moved().contains(from)
        ? new Place(to, generation + 1, false)
        : new Place(from, generation, true);
  }
}
