package io.ensemble.benchmarks.objects.worker;

import java.util.List;

/**
 * The order to a process.
 *
 * @param kind the kind of order
 * @param contestant the system to use
 * @param object the name of the object
 * @param clients the numbers of the clients in this process
 * @param warmMillis the time before the counted time
 * @param millis the counted time
 * @param perSecond arrivals per second; 0 for closed loops
 * @param seed the seed of arrivals
 */
public record WorkerTask(
    Kind kind,
    Contestant contestant,
    String object,
    List<Integer> clients,
    long warmMillis,
    long millis,
    double perSecond,
    long seed) {

  /** The kinds of orders. */
  public enum Kind {
    /** Open the object for each client, and report the number of its operations. */
    OPEN,
    /** Use it. */
    RUN,
    /** Report the number of its operations by all clients, and close it. */
    CLOSE
  }

  public WorkerTask {
    clients = List.copyOf(clients);
  }

  public WorkerTask of(Kind other) {
    return new WorkerTask(other, contestant, object, clients, warmMillis, millis, perSecond, seed);
  }

  /** The same with arrivals. */
  public WorkerTask arriving(double rate) {
    return new WorkerTask(kind, contestant, object, clients, warmMillis, millis, rate, seed);
  }

  /** The same with a counted time of at least {@code least}. */
  public WorkerTask atLeast(long least) {
    return new WorkerTask(
        kind, contestant, object, clients, warmMillis, Math.max(millis, least), perSecond, seed);
  }

  /** The part of it for one of several processes. */
  public WorkerTask of(List<Integer> others, int processes, int process) {
    return new WorkerTask(
        kind,
        contestant,
        object,
        others,
        warmMillis,
        millis,
        perSecond / processes,
        seed * processes + process);
  }
}
