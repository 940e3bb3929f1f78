package io.ensemble.check.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Whether the catalog and its records can be read. */
public final class CatalogFindings {

  static final String CHECK = "catalog";
  private static final String PAGE = "docs/operations.md#catalog";

  private CatalogFindings() {}

  /**
   * @param unreadable the names of records that cannot be read, with the reasons
   */
  public static List<Finding> of(
      String address, int sites, int caches, Map<String, String> unreadable) {
    List<Finding> findings = new ArrayList<>();
    findings.add(Finding.ok(CHECK, address, "%d sites, %d caches".formatted(sites, caches)));
    unreadable.forEach(
        (record, why) ->
            findings.add(
                Finding.error(
                    CHECK,
                    record,
                    "the record cannot be read: " + why,
                    "restore the record from a copy of the catalog; see " + PAGE)));
    return findings;
  }

  /** The finding about an address where there is no record. */
  public static Finding missing(String address) {
    return Finding.error(
        CHECK,
        address,
        "there is no catalog, or one without sites and caches",
        "check the path in the address; see " + PAGE);
  }

  public static Finding failed(String address, String why) {
    return Finding.error(
        CHECK, address, why, "start the catalog's servers, or correct the address; see " + PAGE);
  }
}
