/**
 * Traces of requests by OpenTelemetry. {@link io.ensemble.rest.trace.RequestTracer} begins a trace
 * for each request, or continues its caller's, and adds the requests to sites. {@link
 * io.ensemble.rest.trace.Telemetry} exports the traces as the environment configures. No span
 * contains a key, a value, a token or the text of a failure.
 */
@NullMarked
package io.ensemble.rest.trace;

import org.jspecify.annotations.NullMarked;
