package io.ensemble.repartition;

/**
 * The part that serves a key.
 *
 * @param part the key's part; while the key is {@code held}, its former part
 * @param generation the highest generation of a mark in the part under which responses of the part
 *     count
 * @param held whether no part serves the key now
 */
public record KeyRoute(String part, long generation, boolean held) {

  /**
   * The route of a key while the parts do not change.
   *
   * @param generation the present one
   */
  public static KeyRoute settled(String part, long generation) {
    return new KeyRoute(part, generation, false);
  }

  /**
   * The route of a key while the parts change.
   *
   * @param from its former part
   * @param to its new part
   * @param generation the former one
   */
  public static KeyRoute changing(
      String from, String to, long generation, Repartition repartition) {
    if (from.equals(to)) {
      return new KeyRoute(from, generation + 1, false); // Whatever the outcome of the change.
    }
    if (repartition.step() == RepartitionPhase.MARKING) {
      return new KeyRoute(from, generation, false);
    }
    return repartition.moved().contains(from)
        ? new KeyRoute(to, generation + 1, false)
        : new KeyRoute(from, generation, true);
  }
}
