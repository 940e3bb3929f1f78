package io.ensemble.check.doctor;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Whether the user of a site has every permission that Ensemble uses there. */
public final class PermissionFindings {

  /** The permissions, by their names in Infinispan. */
  static final List<String> NEEDED =
      List.of("ADMIN", "CREATE", "READ", "WRITE", "BULK_READ", "MONITOR");

  static final String CHECK = "permissions";
  private static final String PAGE = "docs/security.md#java-api";

  private PermissionFindings() {}

  /**
   * @param granted the permissions of the user, as the site reports them
   */
  public static Finding of(String site, String user, Collection<String> granted) {
    TreeSet<String> missing = new TreeSet<>(NEEDED);
    missing.removeAll(granted);
    return granted.contains("ALL") || missing.isEmpty()
        ? Finding.ok(CHECK, site, "the user '%s' has %s".formatted(user, String.join(" ", NEEDED)))
        : Finding.error(
            CHECK,
            site,
            "the user '%s' lacks %s".formatted(user, String.join(" ", missing)),
            "grant the permissions to a role of the user; see " + PAGE);
  }

  public static Finding unknown(String site, String why) {
    return Finding.notChecked(CHECK, site, why, "compare the roles of the user; see " + PAGE);
  }

  /** The finding about a site without credentials. */
  public static Finding open(String site) {
    return Finding.ok(CHECK, site, "no user: the site is used without a login");
  }
}
