package io.ensemble.simulation;

import java.util.LinkedHashSet;
import java.util.List;

/** Builds a {@link SimFederation}. */
public final class SimFederationBuilder {

  List<String> sites = List.of("lyon", "oslo", "rome");
  int clients = 1;
  long seed;
  SimFaultPlan plan = SimFaultPlan.none();
  boolean inOrder;
  long maxSkewMicros;
  int inFlight = 256;
  int traceLines = 100_000;

  SimFederationBuilder() {}

  /** The sites' names; {@code lyon}, {@code oslo} and {@code rome} by default. */
  public SimFederationBuilder sites(String... names) {
    List<String> wanted = List.of(names);
    if (wanted.isEmpty() || new LinkedHashSet<>(wanted).size() < wanted.size()) {
      throw new IllegalArgumentException("expected different names of sites, got " + wanted);
    }
    sites = wanted;
    return this;
  }

  /** The number of clients at first; 1 by default. */
  public SimFederationBuilder clients(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("expected 0 clients or more, got " + number);
    }
    clients = number;
    return this;
  }

  /** The seed, which decides all random choices. */
  public SimFederationBuilder seed(long value) {
    seed = value;
    return this;
  }

  /** The fault plan; no faults by default. */
  public SimFederationBuilder plan(SimFaultPlan value) {
    plan = value;
    return this;
  }

  /** The maximum clock skew of the clients' wall clocks, each by another amount; 0 by default. */
  public SimFederationBuilder maxSkewMicros(long micros) {
    if (micros < 0) {
      throw new IllegalArgumentException("expected 0 µs or more, got " + micros);
    }
    maxSkewMicros = micros;
    return this;
  }

  /**
   * The maximum number of requests of a client that may be under way at a site before it is {@link
   * io.ensemble.site.SiteException.Reason#BUSY BUSY}; 256 by default.
   */
  public SimFederationBuilder inFlight(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("expected at least 1 request in flight, got " + most);
    }
    inFlight = most;
    return this;
  }

  /**
   * Messages between a client and a site arrive in the order in which they were sent, as over one
   * connection; by default they may overtake each other.
   */
  public SimFederationBuilder inOrder() {
    inOrder = true;
    return this;
  }

  /** The number of lines that the trace keeps; 100,000 by default. */
  public SimFederationBuilder traceLines(int most) {
    if (most < 0) {
      throw new IllegalArgumentException("expected 0 lines or more, got " + most);
    }
    traceLines = most;
    return this;
  }

  /** Creates the federation. */
  public SimFederation build() {
    return new SimFederation(this);
  }
}
