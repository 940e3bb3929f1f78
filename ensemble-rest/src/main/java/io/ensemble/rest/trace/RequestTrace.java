package io.ensemble.rest.trace;

import io.ensemble.rest.http.ProblemType;
import io.ensemble.schedule.RequestListener;
import io.ensemble.site.SiteException;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The trace of one request: a span of its own, and child spans for the first {@value #MOST}
 * requests to sites that it causes. Thread-safe.
 */
public final class RequestTrace implements RequestListener {

  /** The maximum number of requests to sites with spans of their own; further ones are counted. */
  static final int MOST = 512;

  static final RequestTrace NONE =
      new RequestTrace(OpenTelemetry.noop().getTracer(""), Span.getInvalid(), "");

  private static final int SERVER_ERRORS = 500;
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<String> CACHE = AttributeKey.stringKey("ensemble.cache");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("ensemble.outcome");

  private final Tracer tracer;
  private final Span span;
  private final String method;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile boolean answered;

  RequestTrace(Tracer tracer, Span span, String method) {
    this.tracer = tracer;
    this.span = span;
    this.method = method;
  }

  /**
   * Sets the route of the request.
   *
   * @param route the path's template, without the values of its parameters
   * @param cache the cache's name; null if the request concerns none
   */
  public void found(String route, @Nullable String cache) {
    span.updateName(method + " " + route);
    span.setAttribute("http.route", route);
    if (cache != null) {
      span.setAttribute(CACHE, cache);
    }
  }

  /** Runs {@code work}, and records its requests to sites in this trace. */
  public <T> CompletionStage<T> of(Supplier<CompletionStage<T>> work) {
    return this == NONE ? work.get() : within(work);
  }

  /**
   * Records the response; requests to sites that are still open are recorded later.
   *
   * @param problem null if there is none
   */
  public void end(int status, @Nullable ProblemType problem) {
    answered = true;
    span.setAttribute("http.response.status_code", status);
    span.setAttribute("ensemble.requests", asked.get());
    span.setAttribute(OUTCOME, outcome(problem));
    if (problem != null) {
      span.setAttribute("ensemble.problem", problem.word());
    }
    if (status >= SERVER_ERRORS) {
      span.setAttribute(ERROR, problem == null ? String.valueOf(status) : problem.word());
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }

  /** The outcome; an unexpected failure may have happened after a change. */
  private static String outcome(@Nullable ProblemType problem) {
    if (problem == null) {
      return "ok";
    }
    return problem == ProblemType.UNKNOWN_OUTCOME || problem == ProblemType.INTERNAL
        ? "unknown"
        : "refused";
  }

  @Override
  public Told asked(String site, String cache, String request, boolean writes) {
    if (asked.incrementAndGet() > MOST) {
      return failure -> {};
    }
    Span below =
        tracer
            .spanBuilder(request + " " + site)
            .setSpanKind(SpanKind.CLIENT)
            .setParent(Context.root().with(span))
            .setAttribute("ensemble.site", site)
            .setAttribute("ensemble.request", request)
            .startSpan();
    if (!cache.isEmpty()) {
      below.setAttribute(CACHE, cache);
    }
    return failure -> {
      below.setAttribute(OUTCOME, outcome(failure, writes));
      if (failure != null) {
        below.setAttribute(ERROR, reason(failure));
        below.setStatus(StatusCode.ERROR);
      }
      below.setAttribute("ensemble.after_answer", answered);
      below.end();
    };
  }

  private static String outcome(@Nullable Throwable failure, boolean writes) {
    if (failure == null) {
      return "ok";
    }
    if (!(bare(failure) instanceof SiteException site)) {
      return writes ? "unknown" : "failed";
    }
    if (site.isNotSent()) {
      return "not_sent";
    }
    return switch (site.reason()) {
      case BUSY, DELETED -> "not_sent";
      case NOT_ALLOWED, UNSUITABLE, STORE_LOST -> "refused";
      case UNREACHABLE, TIMED_OUT, DEGRADED, FAILED -> writes ? "unknown" : "failed";
    };
  }

  private static String reason(Throwable failure) {
    return bare(failure) instanceof SiteException site
        ? site.reason().name().toLowerCase(Locale.ROOT)
        : "failed";
  }

  private static Throwable bare(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
