package io.ensemble.rest.events;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A kind of things that are seen, and of events that tell of them. */
public enum SnapshotSection {
  /** Sites of the catalog: they come, go, and are drained. */
  SITES,
  /** What is thought of each site. */
  HEALTH,
  /** What the service's process measures on its way to each site. */
  LATENCY,
  /** Caches: they are created, altered and deleted, and can lose so many sites. */
  CACHES,
  /** Changes and drains that are under way, and how far. */
  OPERATIONS,
  /** Whose turn it is in SWMR caches. */
  TERMS,
  /** Outcomes that the service's process does not know, by cache. */
  UNKNOWN,
  /** What sites of WEAK caches may lack of the service's own writes. */
  LAG,
  /** Whether the catalog can be read. */
  CATALOG;

  /** As it stands in documents and addresses. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The one of that word. */
  public static Optional<SnapshotSection> of(String word) {
    return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
  }
}
