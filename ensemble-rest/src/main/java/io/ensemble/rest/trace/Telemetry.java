package io.ensemble.rest.trace;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The export of traces, configured by OpenTelemetry's own variables ({@code
 * OTEL_EXPORTER_OTLP_ENDPOINT}, {@code OTEL_SERVICE_NAME} and others). Traces go by OTLP over HTTP,
 * from a bounded queue ({@code OTEL_BSP_MAX_QUEUE_SIZE}) that drops the excess. Without an
 * endpoint, nothing is exported. Thread-safe.
 */
public final class Telemetry implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Telemetry.class);
  private static final String PREFIX = "OTEL_";
  private static final String SERVICE = "ensemble-rest";
  private static final long FAREWELL_SECONDS = 2;

  private final @Nullable OpenTelemetrySdk sdk;

  private Telemetry(@Nullable OpenTelemetrySdk sdk) {
    this.sdk = sdk;
  }

  /**
   * Reads the configuration from {@code environment}.
   *
   * @throws IllegalArgumentException if a value is invalid
   */
  public static Telemetry of(Map<String, String> environment) {
    warnOfUnused(environment, "OTEL_METRICS_EXPORTER", "metrics are at /metrics, for Prometheus");
    warnOfUnused(environment, "OTEL_LOGS_EXPORTER", "logs are in the log of the service");
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
          "traces cannot be exported as configured by the variables "
              + "OTEL_...: "
              + told(environment, e));
    }
  }

  private static void warnOfUnused(Map<String, String> environment, String name, String instead) {
    String value = said(environment, name);
    boolean isDisabled = said(environment, "OTEL_SDK_DISABLED").equalsIgnoreCase("true");
    if (!isDisabled && !value.isEmpty() && !value.equals("none")) {
      LOG.warn("a variable has no effect: {}; variable={} value={}", instead, name, value);
    }
  }

  /**
   * The error message without the values of headers to a collector, because they are credentials.
   */
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

  /** The settings for traces only: metrics are exported separately, and logs are not sent. */
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

  /** The tracer for a service. */
  public RequestTracer traces() {
    return sdk == null ? RequestTracer.NONE : RequestTracer.by(sdk);
  }

  /** Sends the waiting traces, for at most two seconds. */
  @Override
  public void close() {
    if (sdk != null) {
      sdk.shutdown().join(FAREWELL_SECONDS, TimeUnit.SECONDS);
    }
  }
}
