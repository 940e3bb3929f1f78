package io.ensemble.rest.trace;

import io.ensemble.rest.http.HttpMethod;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Begins the traces of a service's requests. Thread-safe. */
public final class RequestTracer {

  /** Traces nothing. */
  public static final RequestTracer NONE = new RequestTracer(OpenTelemetry.noop());

  private static final String SCOPE = "io.ensemble.rest";
  private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

  private final Tracer tracer;

  private RequestTracer(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer(SCOPE);
  }

  /** A tracer that reports to {@code telemetry}, which remains the caller's. */
  public static RequestTracer by(OpenTelemetry telemetry) {
    return new RequestTracer(telemetry);
  }

  /**
   * Begins a span for a request, in the caller's trace if the request names one, otherwise in a new
   * trace.
   *
   * @param method the method of the request, unchanged
   * @param headers gives the values of a header, in their order
   */
  public RequestTrace begin(String method, boolean secure, Function<String, List<String>> headers) {
    if (this == NONE) {
      return RequestTrace.NONE;
    }
    boolean known =
        method.equals("HEAD")
            || Arrays.stream(HttpMethod.values()).anyMatch(m -> m.name().equals(method));
    Context caller = W3C.extract(Context.root(), headers, Headers.ONCE);
    Span span =
        tracer
            .spanBuilder(known ? method : "HTTP")
            .setSpanKind(SpanKind.SERVER)
            .setParent(caller)
            .setAttribute("http.request.method", known ? method : "_OTHER")
            .setAttribute("url.scheme", secure ? "https" : "http")
            .startSpan();
    return span.isRecording() ? new RequestTrace(tracer, span, method) : RequestTrace.NONE;
  }

  /** Reads headers that occur exactly once; a repeated header is ambiguous and is ignored. */
  private enum Headers implements TextMapGetter<Function<String, List<String>>> {
    ONCE;

    @Override
    public Iterable<String> keys(Function<String, List<String>> headers) {
      return W3C.fields();
    }

    @Override
    public @Nullable String get(@Nullable Function<String, List<String>> headers, String name) {
      List<String> values = headers == null ? List.of() : headers.apply(name);
      if (name.equals("tracestate") && !values.isEmpty()) {
        return String.join(",", values);
      }
      return values.size() == 1 ? values.get(0) : null;
    }
  }
}
