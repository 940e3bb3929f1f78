package io.ensemble.rest.trace;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where traces go, as OpenTelemetry's own variables say it ({@code OTEL_EXPORTER_OTLP_ENDPOINT},
 * {@code OTEL_SERVICE_NAME} and others): by OTLP over HTTP, from a queue that is bounded ({@code
 * OTEL_BSP_MAX_QUEUE_SIZE}) and drops what is over. Nowhere if they name no place. Thread-safe.
 */
public final class Telemetry implements AutoCloseable {

  private static final String PREFIX = "OTEL_";
  private static final String SERVICE = "ensemble-rest";
  private static final long FAREWELL_SECONDS = 2;

  private final @Nullable OpenTelemetrySdk sdk;

  private Telemetry(@Nullable OpenTelemetrySdk sdk) {
    this.sdk = sdk;
  }

  /**
   * As {@code environment} says.
   *
   * @throws IllegalArgumentException if it says something that cannot be
   */
  public static Telemetry of(Map<String, String> environment) {
    if (!isWanted(environment)) {
      return new Telemetry(null);
    }
    try {
      return new Telemetry(
          AutoConfiguredOpenTelemetrySdk.builder()
              .disableShutdownHook()
              .addPropertiesSupplier(Telemetry::usual)
              .addPropertiesCustomizer(present -> properties(environment))
              .build()
              .getOpenTelemetrySdk());
    } catch (ConfigurationException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "traces cannot be sent as the variables OTEL_... say: " + told(environment, e));
    }
  }

  /** What was wrong, without what headers to a collector say: they let somebody in there. */
  private static String told(Map<String, String> environment, RuntimeException why) {
    String words = String.valueOf(why.getMessage());
    for (Map.Entry<String, String> one : environment.entrySet()) {
      if (one.getKey().endsWith("_HEADERS") && !one.getValue().isBlank()) {
        words = words.replace(one.getValue(), "…");
      }
    }
    return words;
  }

  private static boolean isWanted(Map<String, String> environment) {
    if (said(environment, "OTEL_SDK_DISABLED").equalsIgnoreCase("true")) {
      return false;
    }
    String exporter = said(environment, "OTEL_TRACES_EXPORTER");
    return !exporter.equals("none")
        && !(exporter
                + said(environment, "OTEL_EXPORTER_OTLP_ENDPOINT")
                + said(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
            .isEmpty();
  }

  private static String said(Map<String, String> environment, String name) {
    return environment.getOrDefault(name, "").strip();
  }

  private static Map<String, String> usual() {
    return Map.of("otel.service.name", SERVICE, "otel.exporter.otlp.protocol", "http/protobuf");
  }

  /** Metrics have their own way out, and logs are not sent. */
  private static Map<String, String> properties(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(PREFIX) && !value.isBlank()) {
            all.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
          }
        });
    all.put("otel.metrics.exporter", "none");
    all.put("otel.logs.exporter", "none");
    return all;
  }

  /** What a service traces by. */
  public RequestTracer traces() {
    return sdk == null ? RequestTracer.NONE : RequestTracer.by(sdk);
  }

  /** Sends what waits, for two seconds at most. */
  @Override
  public void close() {
    if (sdk != null) {
      sdk.shutdown().join(FAREWELL_SECONDS, TimeUnit.SECONDS);
    }
  }
}
