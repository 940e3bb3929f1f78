/**
 * How a request travels: {@link io.ensemble.rest.http.RestHandler} takes it from Jetty, {@link
 * io.ensemble.rest.http.RouteTable} finds the route, the {@link
 * io.ensemble.rest.http.RequestAuthorizer} says who asks and whether they may, a handler answers
 * with a {@link io.ensemble.rest.http.RestResponse}, and {@link
 * io.ensemble.rest.http.ProblemMapper} makes a {@link io.ensemble.rest.http.Problem} of whatever
 * went wrong. Jetty is known here, where the service is started, and where its TLS is made.
 */
@NullMarked
package io.ensemble.rest.http;

import org.jspecify.annotations.NullMarked;
