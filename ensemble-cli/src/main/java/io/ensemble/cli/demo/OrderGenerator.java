package io.ensemble.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Makes orders from a seed: the same seed gives the same orders. */
final class OrderGenerator {

  private static final List<String> NAMES =
      List.of("Ada", "Bela", "Chen", "Dora", "Emil", "Fatou", "Goran", "Hana", "Ivo", "Jun");
  private static final List<String> ARTICLES =
      List.of(
          "kettle", "lamp", "map", "notebook", "oar", "pencil", "quilt", "radio", "saw", "tent");

  private OrderGenerator() {}

  /** Orders {@code first}, {@code first + 1} and so on, {@code count} of them. */
  static List<ShopOrder> of(long seed, int first, int count) {
    SplittableRandom random = new SplittableRandom(seed + first);
    List<ShopOrder> orders = new ArrayList<>(count);
    for (int id = first; id < first + count; id++) {
      int quantity = random.nextInt(1, 10);
      orders.add(
          new ShopOrder(
              id,
              NAMES.get(random.nextInt(NAMES.size())) + "-" + random.nextInt(1000),
              ARTICLES.get(random.nextInt(ARTICLES.size())),
              quantity,
              quantity * random.nextLong(100, 10_000),
              "new"));
    }
    return orders;
  }
}
