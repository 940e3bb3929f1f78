package io.ensemble.testkit.wan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The hosts of an emulation, and the network between them.
 *
 * @param hosts their names: letters and digits, a letter first
 * @param everywhere the profile between any two hosts
 * @param pairs profiles of single pairs, which take precedence
 * @param seed the seed of the choice of lost packets, if there is loss
 */
public record WanPlan(
    List<String> hosts, PathProfile everywhere, Map<HostPair, PathProfile> pairs, long seed) {

  /** Limited by the addresses of one byte, and by the capacity of a delayer. */
  public static final int MOST_HOSTS = 64;

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9]{0,31}");

  /**
   * @throws IllegalArgumentException if a name is invalid or occurs twice, there are no hosts or
   *     more than {@link #MOST_HOSTS}, or a pair names an unknown host
   */
  public WanPlan {
    hosts = List.copyOf(hosts);
    pairs = Map.copyOf(pairs);
    if (hosts.isEmpty() || hosts.size() > MOST_HOSTS) {
      throw new IllegalArgumentException(
          "number of hosts must be in [1, " + MOST_HOSTS + "]; got " + hosts);
    }
    Set<String> seen = new HashSet<>();
    for (String host : hosts) {
      if (!NAME.matcher(host).matches() || host.equalsIgnoreCase("localhost")) {
        throw new IllegalArgumentException(
            "host name must have up to 32 letters and digits, and begin with a letter; got "
                + "'"
                + host
                + "'");
      }
      if (!seen.add(host.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException("host names must be unique: " + host);
      }
    }
    for (HostPair pair : pairs.keySet()) {
      if (!hosts.contains(pair.a()) || !hosts.contains(pair.b())) {
        throw new IllegalArgumentException("no such hosts: " + pair + "; known are " + hosts);
      }
    }
  }

  /** Hosts with the same profile between any two. */
  public static WanPlan of(PathProfile everywhere, String... hosts) {
    return new WanPlan(List.of(hosts), everywhere, Map.of(), 1);
  }

  /** The same plan with another profile between two hosts. */
  public WanPlan with(String a, String b, PathProfile pathProfile) {
    Map<HostPair, PathProfile> more = new HashMap<>(pairs);
    more.put(new HostPair(a, b), pathProfile);
    return new WanPlan(hosts, everywhere, more, seed);
  }

  /** The profile between two hosts. */
  public PathProfile between(String a, String b) {
    return pairs.getOrDefault(new HostPair(a, b), everywhere);
  }
}
