package io.ensemble.cli.demo;

/**
 * The value type of the demonstration: an order of a shop.
 *
 * @param id its number, which is its key too
 * @param customer the customer
 * @param article the article
 * @param quantity the quantity
 * @param cents the total price
 * @param state its progress
 */
public record ShopOrder(
    int id, String customer, String article, int quantity, long cents, String state) {

  /** The same order in another state. */
  ShopOrder withState(String now) {
    return new ShopOrder(id, customer, article, quantity, cents, now);
  }

  /** Its key in a cache. */
  String key() {
    return "order:" + id;
  }
}
