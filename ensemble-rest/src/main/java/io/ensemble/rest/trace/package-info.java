/**
 * Traces of requests by OpenTelemetry: {@link io.ensemble.rest.trace.RequestTracer} begins one for
 * each request that comes, or goes on with its caller's, and adds what is asked of sites; {@link
 * io.ensemble.rest.trace.Telemetry} sends them where the environment says. Nothing that a span says
 * is a key, a value, a token or the text of a failure.
 */
@NullMarked
package io.ensemble.rest.trace;

import org.jspecify.annotations.NullMarked;
