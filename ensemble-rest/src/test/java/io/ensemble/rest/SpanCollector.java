package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.rest.trace.RequestTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Spans that have ended, in memory. */
final class SpanCollector implements SpanExporter {

  private final List<SpanData> ended = new CopyOnWriteArrayList<>();

  /** A tracer whose spans end here. */
  RequestTracer traces() {
    return RequestTracer.by(
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(this))
                    .build())
            .build());
  }

  List<SpanData> all() {
    return List.copyOf(ended);
  }

  /** The span of the latest request of that name; it ends before its answer is sent. */
  SpanData request(String name) {
    List<SpanData> found =
        ended.stream()
            .filter(span -> span.getKind() == SpanKind.SERVER && span.getName().equals(name))
            .toList();
    assertThat(found).as("requests %s", name).isNotEmpty();
    return found.get(found.size() - 1);
  }

  /** The requests to sites within a request to the service; waits for those under way. */
  List<SpanData> below(SpanData request) {
    Long all = request.getAttributes().get(AttributeKey.longKey("ensemble.requests"));
    return await("the spans of all requests to sites")
        .pollDelay(Duration.ZERO)
        .pollInterval(10, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(
            () ->
                ended.stream()
                    .filter(span -> span.getParentSpanId().equals(request.getSpanId()))
                    .toList(),
            below -> below.size() >= all);
  }

  static @Nullable String text(SpanData span, String attribute) {
    return span.getAttributes().get(AttributeKey.stringKey(attribute));
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    ended.addAll(spans);
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode flush() {
    return CompletableResultCode.ofSuccess();
  }

  @Override
  public CompletableResultCode shutdown() {
    return CompletableResultCode.ofSuccess();
  }
}
