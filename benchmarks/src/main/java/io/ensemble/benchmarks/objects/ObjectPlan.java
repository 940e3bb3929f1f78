package io.ensemble.benchmarks.objects;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How to measure atomic objects.
 *
 * @param processes that have clients
 * @param clients how many share one object, one after the other
 * @param objects how many there are where each has one client, one after the other
 * @param arrivals a second at one lock, one after the other
 * @param oneWayMillis how far the servers are from the clients, one after the other
 * @param rounds how often each is measured
 * @param figures where pictures go
 */
public record ObjectPlan(
    int processes,
    List<Integer> clients,
    List<Integer> objects,
    List<Integer> arrivals,
    List<Integer> oneWayMillis,
    int rounds,
    Path figures) {

  /**
   * @throws IllegalArgumentException naming what is wrong
   */
  public ObjectPlan {
    clients = List.copyOf(clients);
    objects = List.copyOf(objects);
    arrivals = List.copyOf(arrivals);
    oneWayMillis = List.copyOf(oneWayMillis);
    if (processes < 1 || rounds < 1) {
      throw new IllegalArgumentException(
          "a crowd has a process, and a round; processes=%d rounds=%d"
              .formatted(processes, rounds));
    }
    for (List<Integer> counts : List.of(clients, objects, arrivals)) {
      if (counts.isEmpty() || counts.stream().anyMatch(count -> count < 1)) {
        throw new IllegalArgumentException("counts of 1 and more are wanted; got " + counts);
      }
    }
    if (oneWayMillis.isEmpty() || oneWayMillis.stream().anyMatch(millis -> millis < 0)) {
      throw new IllegalArgumentException("ways of 0 ms and more are wanted; got " + oneWayMillis);
    }
  }

  /** Which clients each process has: those with clients come first, and they take turns. */
  List<List<Integer>> shared(int count) {
    int used = Math.min(processes, count);
    return IntStream.range(0, used)
        .mapToObj(
            process ->
                IntStream.range(0, count)
                    .filter(client -> client % used == process)
                    .boxed()
                    .toList())
        .toList();
  }
}
