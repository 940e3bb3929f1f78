package io.ensemble.rest;

import io.ensemble.rest.http.Caller;
import io.ensemble.rest.http.Gatekeeper;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Role;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Services over a federation in memory, besides its own. */
final class ConsoleServices {

  private ConsoleServices() {}

  /** One that anybody may ask. */
  static RestService open(Served served, int port) {
    return start(served, port, Gatekeeper.OPEN);
  }

  /** One that wants a token for everything but what is open. */
  static RestService wanting(Served served, String token) {
    return start(
        served,
        0,
        (head, route, on) -> {
          if (route.role() != Role.NONE
              && !head.header("Authorization").orElse("").equals("Bearer " + token)) {
            return CompletableFuture.failedFuture(
                Problem.of(ProblemType.UNAUTHENTICATED, "wanted a bearer token"));
          }
          return on.apply(Caller.ANYBODY);
        });
  }

  private static RestService start(Served served, int port, Gatekeeper gatekeeper) {
    return RestService.start(
        served.manager,
        served.meters,
        new InetSocketAddress("127.0.0.1", port),
        gatekeeper,
        Limits.DEFAULT);
  }
}
