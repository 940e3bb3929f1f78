package io.ensemble.simulation;

/**
 * The amount of faults in a random plan.
 *
 * @param chances the probabilities for single messages while the plan lasts
 * @param episodes the number of faults of sites, of clients, or of the network between them
 * @param memoryLoss whether sites, a minority in all, may come back empty
 * @param clientCrashes the maximum number of clients that crash
 */
public record RandomFaults(
    MessageFaults chances, int episodes, boolean memoryLoss, int clientCrashes) {

  /** All kinds of faults, often. */
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
