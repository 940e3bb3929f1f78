package io.ensemble.placement;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a replica of a cache. A replica that is alone at its site has the site's name. Where
 * a site holds several, on a node each, they are named {@code SITE/1}, {@code SITE/2} and so on.
 *
 * @param site the name of the site that holds the replica
 * @param number 1 to {@value #MOST}; 0 for a replica that is alone at its site
 */
public record ReplicaName(String site, int number) {

  /** How many replicas of one cache a site holds at most. */
  public static final int MOST = 99;

  private static final Pattern NUMBERED = Pattern.compile("(.+)/([1-9][0-9]?)", Pattern.DOTALL);

  /** Parses a name from a cache's definition. */
  public static ReplicaName of(String name) {
    Matcher numbered = NUMBERED.matcher(name);
    return numbered.matches()
        ? new ReplicaName(numbered.group(1), Integer.parseInt(numbered.group(2)))
        : new ReplicaName(name, 0);
  }

  /** The name of the site that holds the replica called {@code name}. */
  public static String siteOf(String name) {
    return of(name).site();
  }

  /** The sites that hold {@code replicas}, each once, in their order. */
  public static List<String> sitesOf(List<String> replicas) {
    return replicas.stream().map(ReplicaName::siteOf).distinct().toList();
  }

  /** The names among {@code replicas} that {@code site} holds, in their order. */
  public static List<String> at(String site, List<String> replicas) {
    return replicas.stream().filter(name -> siteOf(name).equals(site)).toList();
  }

  /** Whether the replica is one of several at its site. */
  public boolean isNumbered() {
    return number > 0;
  }

  /** The replicas of a cache that has {@code count} at {@code site}. */
  private static List<String> replicas(String site, int count) {
    List<String> names = new ArrayList<>();
    for (int number = 1; number <= count; number++) {
      names.add(count == 1 ? site : new ReplicaName(site, number).toString());
    }
    return names;
  }

  /** The names of the replicas, given the number at each site. */
  public static List<String> ofCounts(Map<String, Integer> counts) {
    List<String> names = new ArrayList<>();
    counts.forEach((site, count) -> names.addAll(replicas(site, count)));
    return names;
  }

  /** {@code count} replicas over {@code sites}, as evenly as possible; earlier sites hold more. */
  public static List<String> spread(List<String> sites, int count) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (int i = 0; i < sites.size(); i++) {
      int more = i < count % sites.size() ? 1 : 0;
      counts.put(sites.get(i), count / sites.size() + more);
    }
    return ofCounts(counts);
  }

  /** Whether the name reads as that of a replica, so that no site may have it. */
  public static boolean isReserved(String site) {
    return of(site).isNumbered();
  }

  /** The name. */
  @Override
  public String toString() {
    return isNumbered() ? site + "/" + number : site;
  }
}
