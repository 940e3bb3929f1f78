package io.ensemble.benchmarks;

import io.ensemble.benchmarks.objects.ObjectPlan;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options for measurements of atomic objects. */
final class ObjectPlanOptions {

  @Option(
      names = "--processes",
      defaultValue = "4",
      description = "Processes with clients of atomic objects; ${DEFAULT-VALUE}.")
  private int processes;

  @Option(
      names = "--clients",
      split = ",",
      defaultValue = "1,2,4,8,16",
      description = "Clients that share an object in counter and read-only; ${DEFAULT-VALUE}.")
  private List<Integer> clients = List.of();

  @Option(
      names = "--objects",
      split = ",",
      defaultValue = "1,2,4,8,16,32,64",
      description = "Objects in distinct, each with one client; ${DEFAULT-VALUE}.")
  private List<Integer> objects = List.of();

  @Option(
      names = "--arrivals",
      split = ",",
      defaultValue = "5,10,20,40,80",
      description = "Arrivals per second at the lock of critical-section; ${DEFAULT-VALUE}.")
  private List<Integer> arrivals = List.of();

  @Option(
      names = "--servers",
      split = ",",
      defaultValue = "3,6,12",
      description = "Servers of the site in object-requests; ${DEFAULT-VALUE}.")
  private List<Integer> servers = List.of();

  @Option(
      names = "--one-way-millis",
      split = ",",
      defaultValue = "0,2",
      description =
          "One-way delay to the servers of atomic objects and of the compared systems; "
              + "${DEFAULT-VALUE}.")
  private List<Integer> oneWayMillis = List.of();

  @Option(
      names = "--crowd-rounds",
      defaultValue = "3",
      description = "Repetitions for each compared system; ${DEFAULT-VALUE}.")
  private int crowdRounds;

  @Option(
      names = "--warm-up-millis",
      defaultValue = "40000",
      description =
          "How long each compared system runs before the first measurement; ${DEFAULT-VALUE}.")
  private long warmUpMillis;

  ObjectPlan objectPlan(Path figures) {
    return new ObjectPlan(
        processes,
        clients,
        objects,
        arrivals,
        servers,
        oneWayMillis,
        crowdRounds,
        warmUpMillis,
        figures);
  }
}
