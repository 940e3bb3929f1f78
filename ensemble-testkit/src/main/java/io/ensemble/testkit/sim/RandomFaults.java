package io.ensemble.testkit.sim;

/**
 * How much goes wrong in a random plan.
 *
 * @param chances for single messages while it lasts
 * @param episodes how many times something happens to a site, a client or what is between them
 * @param memoryLoss whether sites, a minority in all, may come back empty
 * @param clientCrashes how many clients may crash
 */
public record RandomFaults(
    MessageFaults chances, int episodes, boolean memoryLoss, int clientCrashes) {

  /** Everything that can go wrong, often. */
  public static RandomFaults all() {
    return new RandomFaults(MessageFaults.lossy(0.05), 12, true, 1);
  }

  /** The same with another {@link #memoryLoss}. */
  public RandomFaults withMemoryLoss(boolean allowed) {
    return new RandomFaults(chances, episodes, allowed, clientCrashes);
  }

  /** The same with other {@link #chances}. */
  public RandomFaults withChances(MessageFaults others) {
    return new RandomFaults(others, episodes, memoryLoss, clientCrashes);
  }

  /** The same with another number of {@link #episodes}. */
  public RandomFaults withEpisodes(int number) {
    return new RandomFaults(chances, number, memoryLoss, clientCrashes);
  }

  /** The same with another number of {@link #clientCrashes}. */
  public RandomFaults withClientCrashes(int number) {
    return new RandomFaults(chances, episodes, memoryLoss, number);
  }
}
