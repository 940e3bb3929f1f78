package io.ensemble.rest.http;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Authenticates callers, and refuses requests without permission. No other place authorizes
 * requests. Each request with a route passes through here before its body is read, and its response
 * passes through here, too.
 */
@FunctionalInterface
public interface RequestAuthorizer {

  /** Allows all requests; for a service that only its own machine can reach. */
  RequestAuthorizer OPEN = (head, route, handler) -> handler.apply(RestCaller.ANYBODY);

  /**
   * Admits or refuses a request. Must not block.
   *
   * @param head the request, with the parameters of its path: {@code cache} where there is one
   * @param route the route, and the role that it requires
   * @param handler handles an admitted request; fails with {@link ProblemException} only, and is
   *     called once at most
   * @return the response; fails with {@link ProblemException} if the caller lacks the permission
   */
  CompletionStage<RestResponse> authorize(
      RequestHead head,
      RestRoute route,
      Function<RestCaller, CompletionStage<RestResponse>> handler);
}
