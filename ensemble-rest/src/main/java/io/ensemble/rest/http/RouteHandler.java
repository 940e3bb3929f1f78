package io.ensemble.rest.http;

import java.util.concurrent.CompletionStage;

/**
 * Handles the requests of a route. Must not block; a thrown exception, or a failure of the stage,
 * becomes a problem.
 */
@FunctionalInterface
public interface RouteHandler {

  /** Completes with the response. */
  CompletionStage<RestResponse> answer(AuthorizedRequest authorizedRequest);
}
