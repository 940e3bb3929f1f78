package io.ensemble.cli.rest;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.HeatOption;
import io.ensemble.rest.RestLimits;
import io.ensemble.rest.RestService;
import io.ensemble.rest.trace.RequestTracer;
import io.ensemble.rest.trace.Telemetry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A REST service with its manager and its access control, until it is closed. */
public final class LocalRest implements AutoCloseable {

  /** The default port, which is tried first. */
  static final int USUAL_PORT = 7460;

  static final String LOOPBACK = "127.0.0.1";
  private static final int LARGEST_PORT = 65_535;

  private final EnsembleCacheManager manager;
  private final RestService service;
  private final RestAccess access;
  private final Telemetry telemetry;
  private final HeatOption.Publication heat;

  private LocalRest(
      EnsembleCacheManager manager,
      RestService service,
      RestAccess access,
      Telemetry telemetry,
      HeatOption.Publication heat) {
    this.heat = heat;
    this.manager = manager;
    this.service = service;
    this.access = access;
    this.telemetry = telemetry;
  }

  /**
   * @throws CommandException if a port is given and is invalid
   */
  static void checkPort(String option, @Nullable Integer port) {
    if (port != null && (port < 0 || port > LARGEST_PORT)) {
      throw new CommandException(
          ExitCode.USAGE, "%s must be in [0, %d]; got %d".formatted(option, LARGEST_PORT, port));
    }
  }

  /**
   * Starts a service of the manager that {@code builder} describes.
   *
   * @param host the address on which it listens
   * @param port 0 for a free one; null for the default one, or any other if that is in use
   * @param access closed with the service, and if it does not start
   * @param meters further meters that the service exports
   * @param publishing begins to publish what the manager records
   * @throws CommandException if the port cannot be used
   */
  static LocalRest start(
      EnsembleCacheManagerBuilder described,
      String host,
      @Nullable Integer port,
      RestAccess access,
      MeterBinder meters,
      Function<EnsembleCacheManager, HeatOption.Publication> publishing) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    access.access().connections().ifPresent(described::siteAddresses);
    Telemetry telemetry = telemetry(access);
    EnsembleCacheManager manager = described.metrics(registry).build();
    try {
      access.access().measure(registry);
      meters.bindTo(registry);
      RestService service = service(manager, registry, host, port, access, telemetry.traces());
      return new LocalRest(manager, service, access, telemetry, publishing.apply(manager));
    } catch (RuntimeException e) {
      try (access;
          telemetry) {
        manager.close();
      }
      throw e;
    }
  }

  /** The telemetry for traces, if environment variables configure it. */
  private static Telemetry telemetry(RestAccess access) {
    try {
      return Telemetry.of(System.getenv());
    } catch (IllegalArgumentException e) {
      try (access) {
        throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()));
      }
    }
  }

  /**
   * As the other method, on 127.0.0.1, for the catalog at {@code address}, whose sites are on this
   * machine. Clients connect to no other nodes, whatever the topology of a site contains.
   */
  static LocalRest start(
      String address, @Nullable Integer port, RestAccess access, MeterBinder meters) {
    EnsembleCacheManagerBuilder described =
        EnsembleCacheManager.builder()
            .catalog(address)
            .siteAddresses(access.access().sites().addresses());
    return start(described, LOOPBACK, port, access, meters, manager -> () -> {});
  }

  private static RestService service(
      EnsembleCacheManager manager,
      PrometheusMeterRegistry registry,
      String host,
      @Nullable Integer port,
      RestAccess access,
      RequestTracer requestTracer) {
    int first = port == null ? USUAL_PORT : port;
    try {
      return startService(manager, registry, host, first, access, requestTracer);
    } catch (UncheckedIOException taken) {
      if (port == null) {
        return startService(manager, registry, host, 0, access, requestTracer);
      }
      throw new CommandException(
          "the REST service cannot bind to port %d of %s".formatted(first, host), taken);
    }
  }

  private static RestService startService(
      EnsembleCacheManager manager,
      PrometheusMeterRegistry registry,
      String host,
      int port,
      RestAccess access,
      RequestTracer requestTracer) {
    return RestService.start(
        manager,
        registry,
        new InetSocketAddress(host, port),
        access.access().requestAuthorizer(),
        access.access().tls(),
        Optional.of(access.access().sites()),
        requestTracer,
        RestLimits.DEFAULT);
  }

  /** The address of the service. */
  public URI address() {
    return service.address();
  }

  /** Whether the catalog has a site. Blocks. */
  boolean hasSites() {
    return !manager.membership().entries().isEmpty();
  }

  /** The access control. */
  public RestAccess access() {
    return access;
  }

  @Override
  public void close() {
    try (access;
        telemetry;
        manager;
        heat) {
      service.close();
    }
  }
}
