package io.ensemble.register;

/**
 * How an operation treats rivals on the same register. Safety does not depend on it.
 *
 * @param yields how many times it leaves the register to a rival that is writing, and that may have
 *     died
 * @param unpromisedAttempts how many times it votes without promises. A vote that is lost to
 *     another write shows that writes succeed, whereas a ballot with promises takes three round
 *     trips and stops all others
 */
public record RivalPolicy(int yields, int unpromisedAttempts) {

  /** The policy of caches. */
  public static final RivalPolicy DEFAULT = new RivalPolicy(3, 12);

  /**
   * Asks for promises after the first lost vote, and never yields. An exploration with few attempts
   * reaches more states by it.
   */
  public static final RivalPolicy IMMEDIATE = new RivalPolicy(0, 1);
}
