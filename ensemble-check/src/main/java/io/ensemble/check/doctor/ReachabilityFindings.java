package io.ensemble.check.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether the nodes of a site answer, how fast, and whether they accept the user. */
public final class ReachabilityFindings {

  /** From here on a write of two round trips takes a noticeable part of the default deadline. */
  static final double SLOW_MILLIS = 500;

  static final String CHECK = "reachability";
  private static final String PAGE = "docs/operations.md#reachability";

  /**
   * A node.
   *
   * @param pingMillis the time of its answer; null if there was none
   * @param error why there was none; null if there was one
   */
  public record NodePing(String endpoint, @Nullable Double pingMillis, @Nullable String error) {}

  private ReachabilityFindings() {}

  /** The findings about the nodes of a site. */
  public static List<Finding> of(String site, List<NodePing> nodes) {
    List<Finding> findings = new ArrayList<>();
    boolean any = nodes.stream().anyMatch(node -> node.pingMillis() != null);
    for (NodePing node : nodes) {
      String subject = site + " " + node.endpoint();
      Double millis = node.pingMillis();
      if (millis == null) {
        String seen = "no answer: " + node.error();
        findings.add(
            any
                ? Finding.warning(
                    CHECK, subject, seen, "start the node, or remove its endpoint; see " + PAGE)
                : Finding.error(
                    CHECK, subject, seen, "no node of the site answers: recover it; see " + PAGE));
      } else if (millis >= SLOW_MILLIS) {
        findings.add(
            Finding.warning(
                CHECK,
                subject,
                text(millis),
                "check the line and the load of the site; see " + PAGE));
      } else {
        findings.add(Finding.ok(CHECK, subject, text(millis)));
      }
    }
    return findings;
  }

  /**
   * The finding about the login at a site.
   *
   * @param error the reason of a refusal; null if the user was accepted
   */
  public static Finding ofLogin(String site, String user, @Nullable String error) {
    return error == null
        ? Finding.ok(CHECK, site, "accepts the user '%s'".formatted(user))
        : Finding.error(
            CHECK,
            site,
            "rejects the user '%s': %s".formatted(user, error),
            "correct the credentials of the site; see docs/security.md#sites-file");
  }

  /** The finding about a site whose description cannot be used. */
  public static Finding invalid(String site, String why) {
    return Finding.error(
        CHECK, site, why, "correct the site's entry; see docs/security.md#sites-file");
  }

  private static String text(double millis) {
    return String.format(Locale.ROOT, "ping %.2f ms", millis);
  }
}
