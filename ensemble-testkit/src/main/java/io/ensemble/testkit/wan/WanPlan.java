package io.ensemble.testkit.wan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which hosts there are, and how far they are from each other.
 *
 * @param hosts their names: letters and digits, a letter first
 * @param everywhere between any two
 * @param pairs between these two instead
 * @param seed which packets are lost, where any are
 */
public record WanPlan(
    List<String> hosts, PathProfile everywhere, Map<HostPair, PathProfile> pairs, long seed) {

  /** As many as there are addresses of one byte, and as a delayer is meant for. */
  public static final int MOST_HOSTS = 64;

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9]{0,31}");

  /**
   * @throws IllegalArgumentException if a name is none or twice there, there are no hosts or more
   *     than {@link #MOST_HOSTS}, or a pair names another
   */
  public WanPlan {
    hosts = List.copyOf(hosts);
    pairs = Map.copyOf(pairs);
    if (hosts.isEmpty() || hosts.size() > MOST_HOSTS) {
      throw new IllegalArgumentException("wants 1 to " + MOST_HOSTS + " hosts; got " + hosts);
    }
    Set<String> seen = new HashSet<>();
    for (String host : hosts) {
      if (!NAME.matcher(host).matches() || host.equalsIgnoreCase("localhost")) {
        throw new IllegalArgumentException(
            "a host's name wants up to 32 letters and digits, a letter first; got '" + host + "'");
      }
      if (!seen.add(host.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException("a host is there twice: " + host);
      }
    }
    for (HostPair pair : pairs.keySet()) {
      if (!hosts.contains(pair.a()) || !hosts.contains(pair.b())) {
        throw new IllegalArgumentException("no such hosts: " + pair + "; there are " + hosts);
      }
    }
  }

  /** Hosts that are all as far from each other. */
  public static WanPlan of(PathProfile everywhere, String... hosts) {
    return new WanPlan(List.of(hosts), everywhere, Map.of(), 1);
  }

  /** The same, but for two hosts. */
  public WanPlan with(String a, String b, PathProfile pathProfile) {
    Map<HostPair, PathProfile> more = new HashMap<>(pairs);
    more.put(new HostPair(a, b), pathProfile);
    return new WanPlan(hosts, everywhere, more, seed);
  }

  /** What lies between two hosts. */
  public PathProfile between(String a, String b) {
    return pairs.getOrDefault(new HostPair(a, b), everywhere);
  }
}
