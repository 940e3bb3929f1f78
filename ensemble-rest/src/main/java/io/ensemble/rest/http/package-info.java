/**
 * The path of a request: {@link io.ensemble.rest.jetty.RestHandler} takes the request from Jetty,
 * and {@link io.ensemble.rest.http.RouteTable} finds the route. The {@link
 * io.ensemble.rest.http.RequestAuthorizer} authenticates and authorizes the caller, and a handler
 * answers with a {@link io.ensemble.rest.http.RestResponse}. {@link
 * io.ensemble.rest.http.ProblemMapper} maps every failure to a {@link
 * io.ensemble.rest.http.Problem}. Only {@code io.ensemble.rest.jetty}, the start of the service and
 * its TLS use Jetty.
 */
@NullMarked
package io.ensemble.rest.http;

import org.jspecify.annotations.NullMarked;
