package io.ensemble.testkit.explore;

import io.ensemble.register.Digest;
import io.ensemble.register.Request;

/**
 * A request on its way.
 *
 * @param client who sent it
 * @param request what it asks
 * @param abandoned whether nobody waits for the answer any more; it may still be performed
 * @param incarnation which life of the site's memory it addresses
 */
record Message(int client, Request<Integer> request, boolean abandoned, int incarnation) {

  int site() {
    return request.site();
  }

  boolean isSwap() {
    return request instanceof Request.Swap;
  }

  Message abandon() {
    return new Message(client, request, true, incarnation);
  }

  long digest() {
    long content = 0;
    if (request instanceof Request.Swap<Integer> swap) {
      content = Digest.of(Digest.of(swap.expected().cell()), Digest.of(swap.cell()));
    }
    return Digest.of(content, client * 8L + incarnation * 2L + (abandoned ? 1 : 0));
  }

  @Override
  public String toString() {
    return "client "
        + client
        + (abandoned ? "'s late " : "'s ")
        + (isSwap() ? "swap" : "read")
        + " at site "
        + site();
  }
}
