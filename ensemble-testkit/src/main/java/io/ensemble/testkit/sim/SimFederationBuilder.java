package io.ensemble.testkit.sim;

import java.util.LinkedHashSet;
import java.util.List;

/** What a {@link SimFederation} is made of. */
public final class SimFederationBuilder {

  List<String> sites = List.of("lyon", "oslo", "rome");
  int clients = 1;
  long seed;
  SimFaultPlan plan = SimFaultPlan.none();
  long maxSkewMicros;
  int inFlight = 256;
  int traceLines = 100_000;

  SimFederationBuilder() {}

  /** The sites' names; {@code lyon}, {@code oslo} and {@code rome} unless told. */
  public SimFederationBuilder sites(String... names) {
    List<String> wanted = List.of(names);
    if (wanted.isEmpty() || new LinkedHashSet<>(wanted).size() < wanted.size()) {
      throw new IllegalArgumentException("wanted different names of sites, got " + wanted);
    }
    sites = wanted;
    return this;
  }

  /** How many clients there are at first; one unless told. */
  public SimFederationBuilder clients(int number) {
    if (number < 0) {
      throw new IllegalArgumentException("wanted 0 clients or more, got " + number);
    }
    clients = number;
    return this;
  }

  /** What decides all that is not decided otherwise. */
  public SimFederationBuilder seed(long value) {
    seed = value;
    return this;
  }

  /** What goes wrong; nothing unless told. */
  public SimFederationBuilder plan(SimFaultPlan value) {
    plan = value;
    return this;
  }

  /**
   * How far the clients' wall clocks may be off, each by another amount; not at all unless told.
   */
  public SimFederationBuilder maxSkewMicros(long micros) {
    if (micros < 0) {
      throw new IllegalArgumentException("wanted 0 µs or more, got " + micros);
    }
    maxSkewMicros = micros;
    return this;
  }

  /**
   * How many requests a client may have under way at a site before it is {@link
   * io.ensemble.site.SiteException.Reason#BUSY BUSY}; 256 unless told.
   */
  public SimFederationBuilder inFlight(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("wanted at least 1 request in flight, got " + most);
    }
    inFlight = most;
    return this;
  }

  /** How many lines the trace keeps; 100,000 unless told. */
  public SimFederationBuilder traceLines(int most) {
    if (most < 0) {
      throw new IllegalArgumentException("wanted 0 lines or more, got " + most);
    }
    traceLines = most;
    return this;
  }

  /** The federation. */
  public SimFederation build() {
    return new SimFederation(this);
  }
}
