package io.ensemble.cache.weak;

import io.ensemble.cache.weak.replica.WeakSite;
import java.util.ArrayList;
import java.util.List;

/** The sites of a cache in the order in which callers should use them. */
final class PreferenceList {

  private final List<WeakSite> all;

  /** With {@code local} first, the others in the order given. */
  PreferenceList(List<WeakSite> given, int local) {
    List<WeakSite> ordered = new ArrayList<>(given);
    ordered.add(0, ordered.remove(local));
    all = List.copyOf(ordered);
  }

  List<WeakSite> all() {
    return all;
  }

  int count() {
    return all.size();
  }

  int majority() {
    return all.size() / 2 + 1;
  }

  /** The sites that seem to work come first; the others are tried when no other site answers. */
  List<WeakSite> byUse() {
    boolean allUsable = true;
    for (WeakSite weakSite : all) {
      allUsable &= weakSite.isUsable();
    }
    if (allUsable) {
      return all;
    }
    List<WeakSite> ordered = new ArrayList<>(all);
    ordered.sort((one, other) -> Boolean.compare(other.isUsable(), one.isUsable()));
    return ordered;
  }
}
