package io.ensemble.explore;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterRequest;

/**
 * A request in flight.
 *
 * @param client the sender
 * @param request the request
 * @param abandoned whether no client waits for the response any more; the request may still be
 *     performed
 * @param incarnation the life of the memory of the site that the request addresses
 * @param asked the fingerprint of the request, stored because many states need it
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
