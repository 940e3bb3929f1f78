package io.ensemble.cli.demo;

/**
 * What the demonstration keeps: an order of a shop.
 *
 * @param id its number, which is its key too
 * @param customer who ordered
 * @param article what
 * @param quantity how many
 * @param cents the price in all
 * @param state how far it is
 */
public record ShopOrder(
    int id, String customer, String article, int quantity, long cents, String state) {

  /** The same order, further on. */
  ShopOrder withState(String now) {
    return new ShopOrder(id, customer, article, quantity, cents, now);
  }

  /** The key that it has in a cache. */
  String key() {
    return "order:" + id;
  }
}
