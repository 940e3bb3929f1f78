package io.ensemble.placement;

import java.util.ArrayList;
import java.util.List;

/** All subsets of a size, in the order of the elements. */
final class Combinations {

  private Combinations() {}

  static List<List<String>> of(List<String> elements, int size) {
    List<List<String>> found = new ArrayList<>();
    if (size <= elements.size()) {
      extend(elements, 0, size, new ArrayList<>(), found);
    }
    return found;
  }

  private static void extend(
      List<String> elements, int from, int missing, List<String> taken, List<List<String>> found) {
    if (missing == 0) {
      found.add(List.copyOf(taken));
      return;
    }
    for (int i = from; i <= elements.size() - missing; i++) {
      taken.add(elements.get(i));
      extend(elements, i + 1, missing - 1, taken, found);
      taken.remove(taken.size() - 1);
    }
  }
}
