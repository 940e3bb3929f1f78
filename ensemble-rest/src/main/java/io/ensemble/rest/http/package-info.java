/**
 * How a request travels: {@link io.ensemble.rest.jetty.RestHandler} takes it from Jetty, {@link
 * io.ensemble.rest.http.RouteTable} finds the route, the {@link
 * io.ensemble.rest.http.RequestAuthorizer} says who asks and whether they may, a handler answers
 * with a {@link io.ensemble.rest.http.RestResponse}, and {@link
 * io.ensemble.rest.http.ProblemMapper} makes a {@link io.ensemble.rest.http.Problem} of whatever
 * went wrong. Only {@code io.ensemble.rest.jetty}, the start of the service and its TLS use Jetty.
 */
@NullMarked
package io.ensemble.rest.http;

import org.jspecify.annotations.NullMarked;
