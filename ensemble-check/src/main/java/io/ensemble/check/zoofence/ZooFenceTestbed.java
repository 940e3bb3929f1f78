package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.zoofence.link.InstanceServers;
import java.util.List;

/**
 * A deployment of ZooFence under test.
 *
 * @param sites its instances, and the faults that they and its proxies support
 * @param instances the addresses of the instances, in the deployment's order
 * @param admin the address of the administrative ensemble
 * @param proxies {@code HOST:PORT} of the proxies for clients
 * @param root the path below which all znodes are
 * @param sessionMillis the timeout that clients' sessions request
 */
public record ZooFenceTestbed(
    FaultableSites sites,
    List<InstanceServers> instances,
    InstanceServers admin,
    List<String> proxies,
    String root,
    int sessionMillis) {

  /** Short enough that a pause may be longer. */
  public static final int SESSION_MILLIS = 5_000;

  /** Copies the lists. */
  public ZooFenceTestbed {
    instances = List.copyOf(instances);
    proxies = List.copyOf(proxies);
  }

  /** The addresses of instances, as sites. */
  public static List<SiteDescriptor> places(List<InstanceServers> instances) {
    return instances.stream().map(one -> new SiteDescriptor(one.name(), one.addresses())).toList();
  }
}
