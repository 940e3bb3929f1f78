package io.ensemble.check.registers;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The content of a WEAK cache at each site, read from the sites themselves. If one site did not
 * answer, a cache would answer from another site, and so hide a difference.
 */
final class SiteContents {
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final int BATCH = 256;

  private SiteContents() {}

  /** Not all sites could be read; a retry may succeed. */
  static final class SiteUnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SiteUnreadableException(String site, Throwable cause) {
      super("the site could not be read; site=" + site + " " + cause, cause);
    }
  }

  /**
   * The difference between the sites, in words; empty when all hold the same. A removed key may
   * have a tombstone at some sites and none at others.
   *
   * @throws SiteUnreadableException if a site does not answer
   */
  static Optional<String> difference(
      EnsembleCacheManager manager, List<SiteDescriptor> places, String cache)
      throws InterruptedException {
    StoredDefinition stored =
        manager
            .stored(cache)
            .orElseThrow(() -> new IllegalStateException("the cache does not exist"));
    Map<String, Map<Bytes, Envelope>> bySite = new LinkedHashMap<>();
    try (ThreadScheduler scheduler = new ThreadScheduler(1)) {
      for (SiteDescriptor siteDescriptor : sitesOf(places, stored)) {
        try (Site site = HotRod.connect(siteDescriptor.configuration(), scheduler)) {
          String store =
              stored
                  .store(siteDescriptor.name())
                  .orElseThrow(
                      () -> new IllegalStateException("no store; site=" + siteDescriptor.name()));
          bySite.put(siteDescriptor.name(), contents(site, store, scheduler));
        }
      }
    }
    return difference(bySite);
  }

  /** The sites of the cache. */
  private static List<SiteDescriptor> sitesOf(
      List<SiteDescriptor> places, StoredDefinition stored) {
    List<String> sites = stored.definition().sites();
    return places.stream().filter(siteDescriptor -> sites.contains(siteDescriptor.name())).toList();
  }

  private static Map<Bytes, Envelope> contents(Site site, String name, ThreadScheduler scheduler)
      throws InterruptedException {
    Map<Bytes, Envelope> entries = new HashMap<>();
    Deadline deadline = Deadline.after(LONGEST, scheduler);
    SiteStore store = await(site, site.open(name, StoreKind.PLAIN, deadline));
    try (SiteStore.Scan scan = store.scan(BATCH)) {
      List<SiteStore.Scan.Item> batch = await(site, scan.next(deadline));
      while (!batch.isEmpty()) {
        for (SiteStore.Scan.Item item : batch) {
          Envelope entry = EnvelopeCodec.decode(item.value());
          if (!entry.isTombstone()) {
            entries.put(item.key(), entry);
          }
        }
        batch = await(site, scan.next(deadline));
      }
    }
    return entries;
  }

  private static <T> T await(Site site, CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get(2 * LONGEST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new SiteUnreadableException(site.name(), e.getCause() == null ? e : e.getCause());
    }
  }

  static Optional<String> difference(Map<String, Map<Bytes, Envelope>> bySite) {
    Set<Bytes> keys = new TreeSet<>((a, b) -> printable(a).compareTo(printable(b)));
    bySite.values().forEach(entries -> keys.addAll(entries.keySet()));
    for (Bytes key : keys) {
      Map<String, String> found = new LinkedHashMap<>();
      Envelope first = bySite.values().iterator().next().get(key);
      boolean alike = true;
      for (Map.Entry<String, Map<Bytes, Envelope>> site : bySite.entrySet()) {
        Envelope there = site.getValue().get(key);
        alike &= Objects.equals(first, there);
        found.put(site.getKey(), there == null ? "nothing" : String.valueOf(there.stamp()));
      }
      if (!alike) {
        return Optional.of("key %s: %s".formatted(printable(key), found));
      }
    }
    return Optional.empty();
  }

  /** The letters and digits of an encoded key, which suffice to identify it. */
  private static String printable(Bytes key) {
    return new String(key.array(), StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".");
  }
}
