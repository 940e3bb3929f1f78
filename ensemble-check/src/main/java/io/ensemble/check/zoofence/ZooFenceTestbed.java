package io.ensemble.check.zoofence;

import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.zoofence.link.InstanceServers;
import java.util.List;

/**
 * A deployment of ZooFence that is tried.
 *
 * @param sites its instances, and what can be done to them and to its proxies
 * @param instances where they are, in the deployment's order
 * @param admin where the administrative ensemble is
 * @param proxies {@code HOST:PORT} of those that clients come to
 * @param root the path below which all is done
 * @param sessionMillis the timeout that clients' sessions ask for
 */
public record ZooFenceTestbed(
    FaultableSites sites,
    List<InstanceServers> instances,
    InstanceServers admin,
    List<String> proxies,
    String root,
    int sessionMillis) {

  /** Sessions end so soon that a pause may be longer. */
  public static final int SESSION_MILLIS = 5_000;

  /** Copies the lists. */
  public ZooFenceTestbed {
    instances = List.copyOf(instances);
    proxies = List.copyOf(proxies);
  }

  /** Where instances are, as sites. */
  public static List<SiteDescriptor> places(List<InstanceServers> instances) {
    return instances.stream().map(one -> new SiteDescriptor(one.name(), one.addresses())).toList();
  }
}
