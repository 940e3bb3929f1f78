package io.ensemble.rest;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.Role;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Further services over the federation of a fixture. */
final class ConsoleRestServices {

  private ConsoleRestServices() {}

  /** A service without authentication. */
  static RestService open(RestFixture restFixture, int port) {
    return start(restFixture, port, RequestAuthorizer.OPEN);
  }

  /** A service that requires a token, except on public routes. */
  static RestService wanting(RestFixture restFixture, String token) {
    return start(
        restFixture,
        0,
        (head, route, on) -> {
          if (route.role() != Role.NONE
              && !head.header("Authorization").orElse("").equals("Bearer " + token)) {
            return CompletableFuture.failedFuture(
                Problem.of(ProblemType.UNAUTHENTICATED, "expected a bearer token"));
          }
          return on.apply(RestCaller.ANYBODY);
        });
  }

  private static RestService start(
      RestFixture restFixture, int port, RequestAuthorizer requestAuthorizer) {
    return RestService.start(
        restFixture.manager,
        restFixture.meters,
        new InetSocketAddress("127.0.0.1", port),
        requestAuthorizer,
        RestLimits.DEFAULT);
  }
}
