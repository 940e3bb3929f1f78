package io.ensemble.cache.weak;

import java.util.ArrayList;
import java.util.List;

/** The sites of a cache in the order in which callers should use them. */
final class Members {

  private final List<Member> all;

  /** With {@code local} first, the others in the order given. */
  Members(List<Member> given, int local) {
    List<Member> ordered = new ArrayList<>(given);
    ordered.add(0, ordered.remove(local));
    all = List.copyOf(ordered);
  }

  List<Member> all() {
    return all;
  }

  int count() {
    return all.size();
  }

  int majority() {
    return all.size() / 2 + 1;
  }

  /** Those that seem to work first; the others are still tried, when nobody else answers. */
  List<Member> byUse() {
    boolean allUsable = true;
    for (Member member : all) {
      allUsable &= member.isUsable();
    }
    if (allUsable) {
      return all;
    }
    List<Member> ordered = new ArrayList<>(all);
    ordered.sort((one, other) -> Boolean.compare(other.isUsable(), one.isUsable()));
    return ordered;
  }
}
