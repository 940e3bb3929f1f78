package io.ensemble.rest.access;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gauge {@code ensemble.service.certificate.remaining} in seconds, negative after the expiry.
 */
public final class ServiceCertificateMeters {

  private ServiceCertificateMeters() {}

  /**
   * Shows the time that is left until {@code end}.
   *
   * @param certificate the tag: {@code service} or {@code revocation_list}
   * @param end called for each reading; null if unknown, which is shown as not a number
   */
  public static void show(
      MeterRegistry registry, String certificate, Supplier<@Nullable Instant> end) {
    Gauge.builder("ensemble.service.certificate.remaining", () -> remainingSeconds(end.get()))
        .tag("certificate", certificate)
        .baseUnit("seconds")
        .strongReference(true)
        .register(registry);
  }

  private static double remainingSeconds(@Nullable Instant end) {
    return end == null ? Double.NaN : Duration.between(Instant.now(), end).toSeconds();
  }
}
