package io.ensemble.deploy.check;

import io.ensemble.deploy.federation.Place;
import io.ensemble.zoofence.link.Servers;
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
public record ZooFenceGround(
    Breakable sites,
    List<Servers> instances,
    Servers admin,
    List<String> proxies,
    String root,
    int sessionMillis) {

  /** Sessions end so soon that a pause may be longer. */
  public static final int SESSION_MILLIS = 5_000;

  /** Copies the lists. */
  public ZooFenceGround {
    instances = List.copyOf(instances);
    proxies = List.copyOf(proxies);
  }

  /** Where instances are, as sites. */
  public static List<Place> places(List<Servers> instances) {
    return instances.stream().map(one -> new Place(one.name(), one.addresses())).toList();
  }
}
