package io.ensemble.check.registers;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.PlannedFault;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.SlowWaitReporter;
import io.ensemble.testkit.history.HistoryRecorder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The reads after the clients have stopped and all sites are repaired, by a new client. */
final class FinalReads {
  private static final int TRIES = 3;

  /** Allows for the seconds until another site is the primary. */
  private static final int SWMR_TRIES = 12;

  /** For one read of all keys by a new client. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** The time after its deadline within which a read must end; no process is paused meanwhile. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  private static final Duration TELL = Duration.ofSeconds(5);
  private static final long PAUSE_MILLIS = 250;

  private final CheckRequest request;
  private final FaultableSites sites;
  private final String catalog;
  private final String cache;
  private final HistoryRecorder recorder;
  private final Consumer<String> progress;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param progress receives a line about long waits
   */
  FinalReads(
      CheckRequest request,
      FaultableSites sites,
      String catalog,
      String cache,
      HistoryRecorder recorder,
      Consumer<String> progress) {
    this.request = request;
    this.sites = sites;
    this.catalog = catalog;
    this.cache = cache;
    this.recorder = recorder;
    this.progress = progress;
  }

  /** The problems found. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /**
   * If requested, reads each key with each site cut off in turn, so that every majority must have
   * the acknowledged writes; otherwise reads each key once.
   */
  void byMajorities() throws InterruptedException {
    boolean cuts =
        request.faults().contains(TrialFaultKind.CUT)
            && request.survivesACut(request.replication(sites.places().size()));
    if (!cuts) {
      read(null);
      return;
    }
    for (int site = 0; site < sites.places().size(); site++) {
      PlannedFault cut = new PlannedFault(TrialFaultKind.CUT, site, PlannedFault.ALL, 0, 0, 0);
      sites.begin(cut);
      try {
        read(null);
      } finally {
        sites.end(cut);
      }
    }
  }

  private Map<String, Optional<Long>> read(@Nullable String localSite) throws InterruptedException {
    String through = localSite == null ? "any" : localSite;
    try (SlowWaitReporter slowWaitReporter = new SlowWaitReporter(progress, TELL)) {
      slowWaitReporter.begin("opening the cache to read site=" + through);
      RetryingKeyReader.ReadResult found;
      try (EnsembleCacheManager manager = manager(localSite)) {
        EnsembleCache<String, Long> opened =
            Objects.requireNonNull(manager.<String, Long>getCache(cache), "the cache of this run");
        int tries = request.mode() == Mode.SWMR ? SWMR_TRIES : TRIES;
        found =
            new RetryingKeyReader(session(opened), slowWaitReporter, tries, LONGEST)
                .read(request.keys(), through);
        slowWaitReporter.begin("closing the cache that was read site=" + through);
      }
      found.trouble().ifPresent(problems::add);
      return found.values();
    }
  }

  private ClientSession session(EnsembleCache<String, Long> opened) {
    return new ClientSession(
        EntryCall.CacheViews.of(opened),
        recorder,
        new ClientOutcomeCounts(),
        (client, callNanos, key, stamp) -> {},
        request.deadline(),
        GRACE);
  }

  private EnsembleCacheManager manager(@Nullable String localSite) {
    EnsembleCacheManagerBuilder builder =
        FederationConnection.builder(sites.places()).catalog(catalog);
    if (localSite != null) {
      builder.localSite(localSite);
    }
    return builder.build();
  }

  /**
   * Waits until all sites hold the same, then reads each key through every site. Reports a problem
   * if the sites do not agree in time.
   *
   * @param manager the manager of the cache, for the names of its stores
   * @param longest the time limit
   */
  void untilSitesAgree(EnsembleCacheManager manager, Duration longest) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    long begin = System.nanoTime();
    Optional<String> difference = difference(manager);
    while (difference.isPresent() && System.nanoTime() - begin < longest.toNanos()) {
      never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      difference = difference(manager);
    }
    if (difference.isPresent()) {
      problems.add(
          "the sites did not converge within %d s; %s"
              .formatted(longest.toSeconds(), difference.get()));
    }
    Set<Map<String, Optional<Long>>> answers = new HashSet<>();
    for (SiteDescriptor siteDescriptor : sites.places()) {
      answers.add(read(siteDescriptor.name()));
    }
    if (difference.isEmpty() && answers.size() > 1) {
      problems.add("the sites have equal contents, but return different values: " + answers);
    }
  }

  private Optional<String> difference(EnsembleCacheManager manager) throws InterruptedException {
    try {
      return SiteContents.difference(manager, sites.places(), cache);
    } catch (SiteContents.SiteUnreadableException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
