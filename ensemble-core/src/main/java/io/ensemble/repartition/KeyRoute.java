package io.ensemble.repartition;

/**
 * Where a key is served.
 *
 * @param part its part; where it comes from while it is {@code held}
 * @param generation up to which a mark in the part may be, for its answers to count
 * @param held whether nobody serves it now
 */
public record KeyRoute(String part, long generation, boolean held) {

  /**
   * The place of a key while nothing changes.
   *
   * @param generation the present one
   */
  public static KeyRoute settled(String part, long generation) {
    return new KeyRoute(part, generation, false);
  }

  /**
   * The place of a key while the parts change.
   *
   * @param from its former part
   * @param to its new part
   * @param generation the former one
   */
  public static KeyRoute changing(
      String from, String to, long generation, Repartition repartition) {
    if (from.equals(to)) {
      return new KeyRoute(from, generation + 1, false); // Whatever comes of the change.
    }
    if (repartition.step() == RepartitionPhase.MARKING) {
      return new KeyRoute(from, generation, false);
    }
    return repartition.moved().contains(from)
        ? new KeyRoute(to, generation + 1, false)
        : new KeyRoute(from, generation, true);
  }
}
