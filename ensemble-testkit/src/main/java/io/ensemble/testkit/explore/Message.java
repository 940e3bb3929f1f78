package io.ensemble.testkit.explore;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterRequest;

/**
 * A request on its way.
 *
 * @param client who sent it
 * @param request what it asks
 * @param abandoned whether nobody waits for the answer any more; it may still be performed
 * @param incarnation which life of the site's memory it addresses
 * @param asked the request's fingerprint, which many states ask for
 */
public record Message(
    int client, RegisterRequest<Integer> request, boolean abandoned, int incarnation, long asked) {

  public Message(int client, RegisterRequest<Integer> request, int incarnation) {
    this(client, request, false, incarnation, digest(request));
  }

  private static long digest(RegisterRequest<Integer> request) {
    return request instanceof RegisterRequest.Swap<Integer> swap
        ? RegisterDigest.of(
            RegisterDigest.of(swap.expected().cell()), RegisterDigest.of(swap.cell()))
        : 0;
  }

  public int site() {
    return request.site();
  }

  public boolean isSwap() {
    return request instanceof RegisterRequest.Swap;
  }

  public Message abandon() {
    return new Message(client, request, true, incarnation, asked);
  }

  public long digest() {
    return RegisterDigest.of(asked, client * 8L + incarnation * 2L + (abandoned ? 1 : 0));
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
