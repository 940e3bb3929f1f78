package io.ensemble.check.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether the versions of Infinispan and Java at the sites fit.
 *
 * <p>A vote of a strong cache is a compare-and-set from an entry version of one node. Servers
 * before {@link #LEAST} count entry versions from the start of a node: after a restart the node
 * gives the same numbers again, and a late compare-and-set of its former life may succeed. Later
 * servers draw entry versions at random (infinispan/infinispan pull request 13206).
 */
public final class VersionFindings {

  /** The least version for the strong modes. */
  static final ServerVersion LEAST = new ServerVersion(15, 1, 0);

  /** The version that the tests of Ensemble run on. */
  static final ServerVersion TESTED = new ServerVersion(16, 0, 7);

  /** The least Java of servers of 16.0 and of this program. */
  static final int LEAST_JAVA = 17;

  static final String CHECK = "versions";
  private static final String PAGE = "docs/operations.md#versions";

  private VersionFindings() {}

  /**
   * The findings about one node.
   *
   * @param server the version as the server reports it; null if unknown
   * @param java the version of its Java; null if unknown
   * @param unknown why one of them is unknown
   */
  public static List<Finding> of(
      String node, @Nullable String server, @Nullable String java, String unknown) {
    List<Finding> findings = new ArrayList<>();
    Optional<ServerVersion> version = server == null ? Optional.empty() : ServerVersion.in(server);
    if (version.isEmpty()) {
      String why = server == null ? unknown : "the server reports '%s'".formatted(server);
      findings.add(Finding.notChecked(CHECK, node, "version of Infinispan: " + why, "see " + PAGE));
    } else {
      findings.add(of(node, version.get()));
    }
    if (java == null) {
      findings.add(Finding.notChecked(CHECK, node, "version of Java: " + unknown, "see " + PAGE));
    } else {
      findings.add(ofJava(node, java));
    }
    return findings;
  }

  private static Finding of(String node, ServerVersion version) {
    if (version.compareTo(LEAST) < 0) {
      return Finding.error(
          CHECK,
          node,
          "Infinispan %s; the strong modes require %s or later".formatted(version, LEAST),
          "upgrade the site, one node at a time; see " + PAGE);
    }
    if (version.major() != TESTED.major() || version.minor() != TESTED.minor()) {
      return Finding.warning(
          CHECK,
          node,
          "Infinispan %s; Ensemble is tested with %s".formatted(version, TESTED),
          "run './ensemble check' against a site of this version; see " + PAGE);
    }
    return Finding.ok(CHECK, node, "Infinispan " + version);
  }

  /** The finding about the Java of a node, or of this program. */
  public static Finding ofJava(String subject, String java) {
    String feature = java.startsWith("1.") ? java.substring(2) : java;
    int number;
    try {
      number = Integer.parseInt(feature.split("[^0-9]", 2)[0]);
    } catch (NumberFormatException e) {
      return Finding.notChecked(
          CHECK, subject, "version of Java: it reports '%s'".formatted(java), "see " + PAGE);
    }
    return number < LEAST_JAVA
        ? Finding.error(
            CHECK,
            subject,
            "Java %s; %d or later is required".formatted(java, LEAST_JAVA),
            "install a later Java; see " + PAGE)
        : Finding.ok(CHECK, subject, "Java " + java);
  }

  /**
   * The findings about nodes of one site that run different versions, as during an upgrade.
   *
   * @param servers the reported version of each node; nodes whose version is unknown are left out
   */
  public static List<Finding> mixed(String site, Map<String, String> servers) {
    Map<ServerVersion, TreeSet<String>> nodes = new TreeMap<>();
    servers.forEach(
        (node, text) ->
            ServerVersion.in(text)
                .ifPresent(
                    version -> nodes.computeIfAbsent(version, v -> new TreeSet<>()).add(node)));
    return nodes.size() < 2
        ? List.of()
        : List.of(
            Finding.warning(
                CHECK,
                site,
                "the nodes of the site run different versions: " + nodes.keySet(),
                "end the upgrade of the site; see " + PAGE));
  }
}
