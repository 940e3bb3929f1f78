package io.ensemble.cli.explain;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementPolicy.Extent;
import io.ensemble.placement.PlacementResult;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for the placement of a cache.
 *
 * @param sites its sites
 * @param wish the policy at its creation; null if its sites were given by name
 * @param then the decision at that time; null if its sites were given by name
 * @param now the decision that the policy would give now
 * @param advice other sites, by where its operations come from
 */
record PlacementReport(
    String name,
    List<String> sites,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String wish,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Decision then,
    Decision now,
    AdviceReport advice) {

  /**
   * A decision.
   *
   * @param sites the sites for the cache; empty if the policy allows no sites
   * @param reasons a line for each site
   */
  record Decision(List<String> sites, List<String> reasons) {

    static Decision of(PlacementResult placementResult) {
      return new Decision(placementResult.sites(), placementResult.text().lines().toList());
    }

    static Decision of(StoredPlacement kept) {
      return new Decision(kept.sites(), kept.reasons());
    }
  }

  /** A policy as the options that make it. */
  static String text(PlacementPolicy policy) {
    List<String> options = new ArrayList<>();
    options.add(
        policy.extent() instanceof Extent.Exactly exactly
            ? "--sites " + String.join(",", exactly.sites())
            : "--replication " + ((Extent.Copies) policy.extent()).factor());
    add(options, "--ban ", String.join(",", new TreeSet<>(policy.banned())));
    new TreeMap<>(policy.required())
        .forEach((label, value) -> options.add("--label " + label + "=" + value));
    add(options, "--spread-by ", policy.spreadBy().orElse(""));
    add(options, "--prefer ", String.join(",", new TreeSet<>(policy.preferred())));
    add(options, "--near ", String.join(",", new TreeSet<>(policy.near())));
    return String.join(" ", options);
  }

  private static void add(List<String> options, String option, String value) {
    if (!value.isEmpty()) {
      options.add(option + value);
    }
  }
}
