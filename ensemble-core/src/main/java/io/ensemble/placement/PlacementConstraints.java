package io.ensemble.placement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether a site may hold a cache at all. */
record PlacementConstraints(PlacementPolicy wish) {

  /** All reasons why the site may not hold the cache; empty when it may. */
  Optional<String> against(SiteLoad site) {
    List<String> reasons = new ArrayList<>();
    if (wish.banned().contains(site.name())) {
      reasons.add("banned");
    }
    switch (site.state()) {
      case SERVING -> {}
      case JOINING -> reasons.add("still joining");
      case DRAINING -> reasons.add("draining");
    }
    new TreeMap<>(wish.required())
        .forEach(
            (label, wanted) -> {
              String has = site.labels().get(label);
              if (has == null) {
                reasons.add("label %s=%s missing".formatted(label, wanted));
              } else if (!has.equals(wanted)) {
                reasons.add("label %s must be %s, is %s".formatted(label, wanted, has));
              }
            });
    if (site.freeEntries().isPresent() && site.freeEntries().getAsLong() < wish.entries()) {
      reasons.add(
          "free capacity is %d entries, required are %d"
              .formatted(site.freeEntries().getAsLong(), wish.entries()));
    }
    return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", reasons));
  }

  /** The requirements on a site, as text for people; empty if there are none. */
  String text() {
    List<String> wanted = new ArrayList<>();
    new TreeMap<>(wish.required())
        .forEach((label, value) -> wanted.add("label %s=%s".formatted(label, value)));
    if (!wish.banned().isEmpty()) {
      wanted.add("none of " + new TreeSet<>(wish.banned()));
    }
    if (wish.entries() > 0) {
      wanted.add("free capacity for %d entries".formatted(wish.entries()));
    }
    return String.join(", ", wanted);
  }

  /** A text for each required label that no site has with this value; otherwise empty. */
  String nobodys(Collection<SiteLoad> sites) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(wish.required())
        .forEach(
            (label, wanted) -> {
              if (sites.stream().noneMatch(site -> wanted.equals(site.labels().get(label)))) {
                text.append("; no site has label %s=%s".formatted(label, wanted));
              }
            });
    return text.toString();
  }
}
