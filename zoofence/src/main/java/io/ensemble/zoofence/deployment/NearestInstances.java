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
  public static ReadPreference measure(List<InstanceServers> instances, Duration connectTimeout)
      throws InterruptedException {
    var responseNanos = new ArrayList<Long>();
    for (InstanceServers instance : instances) {
      responseNanos.add(measureFastest(instance, connectTimeout));
    }
    return new ReadPreference(
        IntStream.range(0, instances.size())
            .boxed()
            .sorted(comparingLong(responseNanos::get))
            .toList());
  }

  private static long measureFastest(InstanceServers instance, Duration connectTimeout)
      throws InterruptedException {
    long fastestNanos = Long.MAX_VALUE;
    try (ZooKeeper client = Deployment.open(instance, connectTimeout)) {
      for (int i = 0; i < QUESTIONS; i++) {
        long startNanos = System.nanoTime();
        client.exists(ZooFencePaths.ROOT, false);
        fastestNanos = Math.min(fastestNanos, System.nanoTime() - startNanos);
      }
      return fastestNanos;
    } catch (KeeperException e) {
      throw new DeploymentException("instance " + instance + " refused", e);
    }
  }

  /**
   * The instances with these names, the nearest first.
   *
   * @throws IllegalArgumentException if no instance has one of the names
   */
  public static ReadPreference ofNames(List<InstanceServers> instances, List<String> names) {
    List<String> knownNames = instances.stream().map(InstanceServers::name).toList();
    for (String name : names) {
      if (!knownNames.contains(name)) {
        throw new IllegalArgumentException(
            "no instance is named '" + name + "'; known are " + String.join(", ", knownNames));
      }
    }
    return new ReadPreference(names.stream().map(knownNames::indexOf).toList());
  }
}
