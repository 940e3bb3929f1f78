package io.ensemble.benchmarks.objects.worker;

import java.util.List;

/**
 * What a process is told to do.
 *
 * @param kind what
 * @param contestant with what
 * @param object the name of the object
 * @param clients the numbers of the clients that this process has
 * @param warmMillis for how long before it counts
 * @param millis for how long it counts
 * @param perSecond arrivals a second, where operations arrive; 0 where clients are loops
 * @param seed of arrivals
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

  /** What can be told. */
  public enum Kind {
    /** Open the object for each client, and tell what has been done with it. */
    OPEN,
    /** Use it. */
    RUN,
    /** Tell what has been done with it by all, and close it. */
    CLOSE
  }

  public WorkerTask {
    clients = List.copyOf(clients);
  }

  public WorkerTask of(Kind other) {
    return new WorkerTask(other, contestant, object, clients, warmMillis, millis, perSecond, seed);
  }

  /** The same with operations that arrive. */
  public WorkerTask arriving(double rate) {
    return new WorkerTask(kind, contestant, object, clients, warmMillis, millis, rate, seed);
  }

  /** The part of it that one of several processes has. */
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
