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
 * Why a cache is where it is.
 *
 * @param sites where it is
 * @param wish what was wished for when it was created; null if its sites were given by name
 * @param then what was decided then; null if its sites were given by name
 * @param now what would be decided now
 */
record PlacementReport(
    String name,
    List<String> sites,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String wish,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Decision then,
    Decision now) {

  /**
   * A decision.
   *
   * @param sites where the cache shall be; empty if no sites may hold it as it was wished for
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

  /** A wish as the options that make it. */
  static String text(PlacementPolicy wish) {
    List<String> options = new ArrayList<>();
    options.add(
        wish.extent() instanceof Extent.Exactly exactly
            ? "--sites " + String.join(",", exactly.sites())
            : "--replication " + ((Extent.Copies) wish.extent()).factor());
    add(options, "--ban ", String.join(",", new TreeSet<>(wish.banned())));
    new TreeMap<>(wish.required())
        .forEach((label, value) -> options.add("--label " + label + "=" + value));
    add(options, "--spread-by ", wish.spreadBy().orElse(""));
    add(options, "--prefer ", String.join(",", new TreeSet<>(wish.preferred())));
    add(options, "--near ", String.join(",", new TreeSet<>(wish.near())));
    return String.join(" ", options);
  }

  private static void add(List<String> options, String option, String value) {
    if (!value.isEmpty()) {
      options.add(option + value);
    }
  }
}
