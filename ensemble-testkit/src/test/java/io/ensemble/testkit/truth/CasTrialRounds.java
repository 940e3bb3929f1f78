package io.ensemble.testkit.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.process.ProcessSite;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Concurrent runs of several settings, at one site and with one fault each. */
final class CasTrialRounds {

  /** The fault of the node that owns the keys: none, kill -9, or {@link SplitBrainTrial}. */
  enum Fault {
    NONE,
    KILL,
    SPLIT
  }

  private static final int STEPS = 60;
  private static final int MOST_STARTS = 3;
  private static final int PACE_DURING_STARTS_MILLIS = 25;

  private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final ProcessSite site;
  private final List<SiteCacheSetting> settings;
  private final GuaranteeTable guaranteeTable;
  private final StringBuilder explanations = new StringBuilder();

  /** The anomalies of accepted settings; empty if there are none. */
  String explanations() {
    return explanations.toString();
  }

  /**
   * @param guaranteeTable records chains with anomalies
   */
  CasTrialRounds(ProcessSite site, List<SiteCacheSetting> settings, GuaranteeTable guaranteeTable) {
    this.site = site;
    this.guaranteeTable = guaranteeTable;
    this.settings = List.copyOf(settings);
  }

  /** One run of each setting, with {@code victim} as the owner of the keys. */
  Map<SiteCacheSetting, ChainAnomalies> run(Fault fault, int victim) throws InterruptedException {
    try (SiteClients clients = new SiteClients(site)) {
      List<CasTrial> trials = new ArrayList<>();
      try {
        for (SiteCacheSetting setting : settings) {
          trials.add(CasTrial.begin(setting, clients, site, victim, guaranteeTable));
        }
        awaitSteps(trials);
        befall(fault, victim, trials);
        awaitSteps(trials);
        trials.forEach(CasTrial::stop);
        Map<SiteCacheSetting, ChainAnomalies> results = new EnumMap<>(SiteCacheSetting.class);
        for (CasTrial trial : trials) {
          ChainAnomalies breaks = trial.judged();
          results.merge(trial.setting(), breaks, ChainAnomalies::plus);
          if (breaks.any() && trial.setting().isAccepted()) {
            explanations.append(trial.explanation());
          }
        }
        return results;
      } finally {
        trials.forEach(CasTrial::stop);
      }
    }
  }

  private void befall(Fault fault, int victim, List<CasTrial> trials) throws InterruptedException {
    switch (fault) {
      case NONE -> {}
      case SPLIT -> throw new IllegalArgumentException("a split requires its own hands: " + fault);
      case KILL -> {
        note(trials, "the owner is killed");
        site.killNodes(victim);
        note(trials, "it is dead");
        if (site.size() >= 3) {
          awaitSteps(trials);
        }
        trials.forEach(trial -> trial.pace(PACE_DURING_STARTS_MILLIS));
        note(trials, "it is started");
        startThoughItMayHang(victim, trials);
        note(trials, "it is healthy");
        trials.forEach(trial -> trial.pace(0));
      }
    }
  }

  /**
   * Starts a node. A server may hang in its start while clients send requests to it, as these do;
   * it is then killed and started again.
   */
  private void startThoughItMayHang(int victim, List<CasTrial> trials) {
    for (int starts = 1; ; starts++) {
      try {
        site.startNode(victim);
        return;
      } catch (IllegalStateException hangs) {
        if (starts == MOST_STARTS) {
          throw hangs;
        }
        note(trials, "it hangs in its start, and is killed");
        System.out.println("a node hung in its start: " + hangs.getMessage().lines().findFirst());
        site.killNodes(victim);
      }
    }
  }

  private static void note(List<CasTrial> trials, String what) {
    trials.forEach(trial -> trial.note(what));
  }

  /** Waits for progress of the accepted settings, and at least 1 s for the others. */
  private void awaitSteps(List<CasTrial> trials) throws InterruptedException {
    waited(TimeUnit.SECONDS.toNanos(1));
    long deadline = System.nanoTime() + LONGEST_WAIT_NANOS;
    for (CasTrial trial : trials) {
      int wanted = trial.progress() + STEPS;
      while (trial.setting().isAccepted() && trial.progress() < wanted) {
        assertThat(System.nanoTime() - deadline)
            .as("%s stands at %d of %d", trial.setting(), trial.progress(), wanted)
            .isNegative();
        waited(TimeUnit.MILLISECONDS.toNanos(50));
      }
    }
  }

  private synchronized void waited(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(this, nanos);
  }
}
