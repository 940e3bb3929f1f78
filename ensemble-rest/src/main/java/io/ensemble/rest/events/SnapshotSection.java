package io.ensemble.rest.events;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A section of a snapshot, and of the events that report its changes. */
public enum SnapshotSection {
  /** The sites of the catalog: registration, removal and drains. */
  SITES,
  /** The suspicion of each site. */
  HEALTH,
  /** The latency of the process's requests to each site. */
  LATENCY,
  /** The load of each site from all clients, by its own statistics. */
  LOAD,
  /** What the process that maintains a site reports of it. */
  MAINTENANCE,
  /**
   * The caches: creation, alteration, deletion, and how many further site failures they tolerate.
   */
  CACHES,
  /** The load of each cache from all clients, by the statistics of its replicas. */
  USAGE,
  /** Changes, drains, and recoveries and clears of this process, with their progress. */
  OPERATIONS,
  /** The terms of SWMR caches. */
  TERMS,
  /** The number of writes of this process with an unknown outcome, by cache. */
  UNKNOWN,
  /** The writes of this service that sites of WEAK caches may lack. */
  LAG,
  /** Whether the catalog can be read. */
  CATALOG;

  /** The name in documents and addresses. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The section of that name. */
  public static Optional<SnapshotSection> of(String word) {
    return Stream.of(values()).filter(section -> section.word().equals(word)).findFirst();
  }
}
