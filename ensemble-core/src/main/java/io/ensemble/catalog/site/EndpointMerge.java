package io.ensemble.catalog.site;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Computes a site's endpoints when its nodes differ from the entered ones. A process that looks for
 * the site later finds it by the entered endpoints, so more endpoints are better than fewer:
 *
 * <ul>
 *   <li>the addresses of present nodes are added;
 *   <li>an address without a node is removed, if at least half as many nodes are present as
 *       endpoints were entered: a starting site shows few nodes. The address of a node that holds a
 *       replica stays;
 *   <li>if a host name is among the endpoints, all stay unchanged: the operator chose names that
 *       outlive nodes, and an additional address would be a second name of a node.
 * </ul>
 */
public final class EndpointMerge {

  /** The most endpoints of an entry. */
  public static final int MOST = 64;

  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.%]*:[0-9a-fA-F:.%]*");

  private EndpointMerge() {}

  /**
   * The endpoints of a site with the endpoints {@code entered} and the present nodes {@code there}.
   *
   * @param kept whether an endpoint stays because its node holds a store
   */
  public static List<Endpoint> endpoints(
      List<Endpoint> entered, Collection<InetSocketAddress> there, Predicate<Endpoint> kept) {
    if (!entered.stream().allMatch(endpoint -> ADDRESS.matcher(endpoint.host()).matches())) {
      // A node must not be entered by a name and by an address, as if there were two.
      return entered;
    }
    Set<Endpoint> nodes = new LinkedHashSet<>();
    there.stream()
        .map(node -> new Endpoint(node.getHostString(), node.getPort()))
        .sorted(Comparator.comparing(Endpoint::host).thenComparing(Endpoint::port))
        .forEach(nodes::add);
    if (nodes.isEmpty()) {
      return entered;
    }
    boolean few = 2 * nodes.size() < entered.size();
    Set<Endpoint> next = new LinkedHashSet<>();
    for (Endpoint endpoint : entered) {
      if (few || nodes.contains(endpoint) || kept.test(endpoint)) {
        next.add(endpoint);
      }
    }
    next.addAll(nodes);
    List<Endpoint> all = new ArrayList<>(next);
    return List.copyOf(all.subList(0, Math.min(MOST, all.size())));
  }
}
