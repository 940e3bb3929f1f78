package io.ensemble.check.doctor;

import org.jspecify.annotations.Nullable;

/** Whether the tasks of a federation have owners that are alive. */
public final class OwnerFindings {

  static final String CHECK = "owners";
  private static final String PAGE = "docs/operations.md#owners";

  private OwnerFindings() {}

  /**
   * The finding about the maintenance of a site.
   *
   * @param heartbeat whether the owner's heartbeat advanced while it was watched; null if no
   *     process owns the task
   * @param doing what the owner reports
   */
  public static Finding ofSite(String site, @Nullable Boolean heartbeat, String doing) {
    if (heartbeat == null) {
      return Finding.warning(
          CHECK,
          site,
          "no process maintains the site: missed writes of WEAK caches are not copied",
          "run './ensemble rest', or a process with maintenance(true); see " + PAGE);
    }
    return heartbeat
        ? Finding.ok(CHECK, site, "is maintained: " + doing)
        : Finding.warning(
            CHECK,
            site,
            "the process that maintains the site is silent; last: " + doing,
            "start a process with maintenance; it takes over; see " + PAGE);
  }
}
