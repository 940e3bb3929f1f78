package io.ensemble.simulation.mwmr;

import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.mwmr.FaultyRefill;
import io.ensemble.catalog.Catalog;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Wipes one site after the other, and recovers each before it wipes the next. */
final class MwmrOperator {

  private static final Duration RECOVERY = Duration.ofSeconds(20);

  private final MwmrSimCache cache;
  private final Opened opened;
  private final Catalog catalog;
  private final RefillBug bug;
  private final SplittableRandom random;
  private int left;
  private int recovered;

  MwmrOperator(MwmrSimCache cache, Opened opened, RefillBug bug, int wipes) {
    this.cache = cache;
    this.opened = opened;
    this.bug = bug;
    left = wipes;
    catalog = cache.catalog(opened.client());
    random = opened.client().random().split();
  }

  boolean isFinished() {
    return left == 0;
  }

  int recovered() {
    return recovered;
  }

  void start() {
    if (left > 0) {
      after(random.nextLong(20, 600), this::wipe);
    }
  }

  private void after(long millis, Runnable task) {
    cache.federation().scheduler().after(Duration.ofMillis(millis).toNanos(), task);
  }

  private void wipe() {
    List<String> sites = cache.federation().siteNames();
    String site = sites.get(random.nextInt(sites.size()));
    cache.federation().inject(new Fault.SiteDown(site, LostState.STORES));
    after(
        random.nextLong(1, 200),
        () -> {
          cache.federation().inject(new Fault.SiteUp(site));
          recover(site);
        });
  }

  private void recover(String site) {
    RecoverableEngine refill =
        switch (bug) {
          case NONE -> opened.engine();
          case DOES_NOT_WAIT -> FaultyRefill.withoutWaiting(opened.engine());
          case COPIES_WITHOUT_SETTLING -> FaultyRefill.copying(opened.handles());
          case COUNTS_EMPTY -> FaultyRefill.nothing();
        };
    Deadline deadline = Deadline.after(RECOVERY, opened.client().scheduler());
    catalog
        .recover(cache.stored(), site, refill, deadline)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                after(random.nextLong(1, 100), () -> recover(site));
                return;
              }
              recovered++;
              left--;
              start();
            });
  }
}
