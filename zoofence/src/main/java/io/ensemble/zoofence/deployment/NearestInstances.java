package io.ensemble.zoofence.deployment;

import static java.util.Comparator.comparingLong;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.session.routing.ReadPreference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** Determines which instances are the nearest. */
public final class NearestInstances {
  private static final int QUESTIONS = 5;

  private NearestInstances() {}

  /**
   * Sends several requests to each instance and orders the instances by their fastest response.
   *
   * @throws DeploymentException if an instance cannot be reached
   */
  public static ReadPreference measured(List<InstanceServers> instances, Duration patience)
      throws InterruptedException {
    var nanos = new ArrayList<Long>();
    for (InstanceServers instance : instances) {
      nanos.add(fastest(instance, patience));
    }
    return new ReadPreference(
        IntStream.range(0, instances.size()).boxed().sorted(comparingLong(nanos::get)).toList());
  }

  private static long fastest(InstanceServers instance, Duration patience)
      throws InterruptedException {
    long fastest = Long.MAX_VALUE;
    try (ZooKeeper at = Deployment.open(instance, patience)) {
      for (int question = 0; question < QUESTIONS; question++) {
        long asked = System.nanoTime();
        at.exists(ZooFencePaths.ROOT, false);
        fastest = Math.min(fastest, System.nanoTime() - asked);
      }
      return fastest;
    } catch (KeeperException e) {
      throw new DeploymentException("instance " + instance + " refused", e);
    }
  }

  /**
   * The instances with these names, the nearest first.
   *
   * @throws IllegalArgumentException if no instance has one of the names
   */
  public static ReadPreference named(List<InstanceServers> instances, List<String> names) {
    List<String> known = instances.stream().map(InstanceServers::name).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "no instance is named '" + name + "'; known are " + String.join(", ", known));
      }
    }
    return new ReadPreference(names.stream().map(known::indexOf).toList());
  }
}
