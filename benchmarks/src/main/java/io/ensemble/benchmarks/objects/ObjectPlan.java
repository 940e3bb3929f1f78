package io.ensemble.benchmarks.objects;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The plan for measurements of atomic objects.
 *
 * @param processes the number of processes with clients
 * @param clients the numbers of clients of one shared object, measured one after the other
 * @param objects the numbers of objects with one client each, measured one after the other
 * @param arrivals the arrivals per second at one lock, measured one after the other
 * @param servers the numbers of servers of a site, measured one after the other
 * @param oneWayMillis the delays between servers and clients, measured one after the other
 * @param rounds the number of measurements of each
 * @param warmUpMillis how long each compared system runs before the first measurement, without a
 *     delay and with the most clients
 * @param figures the directory for pictures
 */
public record ObjectPlan(
    int processes,
    List<Integer> clients,
    List<Integer> objects,
    List<Integer> arrivals,
    List<Integer> servers,
    List<Integer> oneWayMillis,
    int rounds,
    long warmUpMillis,
    Path figures) {

  /**
   * @throws IllegalArgumentException if a value is invalid; the message names it
   */
  public ObjectPlan {
    clients = List.copyOf(clients);
    objects = List.copyOf(objects);
    arrivals = List.copyOf(arrivals);
    servers = List.copyOf(servers);
    oneWayMillis = List.copyOf(oneWayMillis);
    if (processes < 1 || rounds < 1) {
      throw new IllegalArgumentException(
          "a crowd has a process, and a round; processes=%d rounds=%d"
              .formatted(processes, rounds));
    }
    if (warmUpMillis < 0) {
      throw new IllegalArgumentException("a warm-up must be 0 ms or more; got " + warmUpMillis);
    }
    for (List<Integer> counts : List.of(clients, objects, arrivals, servers)) {
      if (counts.isEmpty() || counts.stream().anyMatch(count -> count < 1)) {
        throw new IllegalArgumentException("counts must be 1 or more; got " + counts);
      }
    }
    if (oneWayMillis.isEmpty() || oneWayMillis.stream().anyMatch(millis -> millis < 0)) {
      throw new IllegalArgumentException(
          "one-way delays must be 0 ms or more; got " + oneWayMillis);
    }
  }

  /** The clients of each process, assigned in turn; processes with clients come first. */
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
