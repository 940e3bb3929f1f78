package io.ensemble.rest.http;

import java.util.concurrent.CompletionStage;

/**
 * Answers the calls of a route. Must not wait; what it throws, or the stage fails with, becomes a
 * problem.
 */
@FunctionalInterface
public interface RouteHandler {

  /** The answer, later. */
  CompletionStage<RestResponse> answer(AuthorizedRequest authorizedRequest);
}
