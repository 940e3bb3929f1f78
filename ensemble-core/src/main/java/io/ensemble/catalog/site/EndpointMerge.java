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
 * What becomes of a site's endpoints when its nodes are others than those that were entered. Who
 * looks for the site later finds it by what is entered, so more is better than less:
 *
 * <ul>
 *   <li>nodes that are there are entered;
 *   <li>an address that no node has any more is dropped, if at least half as many nodes are there
 *       as endpoints were entered: a site that is just starting shows few. The address of a node
 *       that holds a replica stays;
 *   <li>where a host's name is among the endpoints, they all stay what they are: the operator chose
 *       names that outlive nodes, and an address beside them would be a second name of a node.
 * </ul>
 */
public final class EndpointMerge {

  /** How many endpoints are entered. */
  public static final int MOST = 64;

  private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|[0-9a-fA-F:.%]*:[0-9a-fA-F:.%]*");

  private EndpointMerge() {}

  /**
   * The endpoints of a site that has {@code entered}, and whose nodes are {@code there}.
   *
   * @param kept tells endpoints that stay, for a store is on the node there
   */
  public static List<Endpoint> endpoints(
      List<Endpoint> entered, Collection<InetSocketAddress> there, Predicate<Endpoint> kept) {
    if (!entered.stream().allMatch(endpoint -> ADDRESS.matcher(endpoint.host()).matches())) {
      return entered; // A node must not be entered by a name and by an address, as if it were two.
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
