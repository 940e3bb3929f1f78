package io.ensemble.cache.weak;

import io.ensemble.cache.weak.replica.WeakSite;
import java.util.ArrayList;
import java.util.List;

/** The sites of a cache in the order in which callers should use them. */
final class PreferenceList {

  private final List<WeakSite> sites;

  /** With {@code local} first, the others in the order given. */
  PreferenceList(List<WeakSite> unordered, int local) {
    List<WeakSite> ordered = new ArrayList<>(unordered);
    ordered.add(0, ordered.remove(local));
    sites = List.copyOf(ordered);
  }

  List<WeakSite> sites() {
    return sites;
  }

  int count() {
    return sites.size();
  }

  int majority() {
    return sites.size() / 2 + 1;
  }

  /** The sites that seem to work come first; the others are tried when no other site answers. */
  List<WeakSite> usableFirst() {
    boolean areAllUsable = true;
    for (WeakSite weakSite : sites) {
      areAllUsable &= weakSite.isUsable();
    }
    if (areAllUsable) {
      return sites;
    }
    List<WeakSite> ordered = new ArrayList<>(sites);
    ordered.sort((first, second) -> Boolean.compare(second.isUsable(), first.isUsable()));
    return ordered;
  }
}
