package io.ensemble.rest.http;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Says who asks, and refuses those who may not. The one place where requests are authorised: each
 * request that found a route goes through it before its body is read, and its answer comes back
 * through it.
 */
@FunctionalInterface
public interface RequestAuthorizer {

  /** Lets everybody do everything: for a service that only its own machine can reach. */
  RequestAuthorizer OPEN = (head, route, on) -> on.apply(RestCaller.ANYBODY);

  /**
   * Lets a request pass, or not. Must not wait.
   *
   * @param head the request, of which the path's parameters are known: {@code cache} where there is
   *     one
   * @param route what is asked for, and the role that it needs
   * @param on what is behind the gate; fails with {@link ProblemException} only, and is asked once
   *     at most
   * @return the answer; fails with {@link ProblemException} if they may not
   */
  CompletionStage<RestResponse> pass(
      RequestHead head, RestRoute route, Function<RestCaller, CompletionStage<RestResponse>> on);
}
