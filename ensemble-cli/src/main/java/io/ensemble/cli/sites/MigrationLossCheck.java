package io.ensemble.cli.sites;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.cli.migrations.ChangeReport;
import io.ensemble.cli.migrations.LostStoreMonitor;
import io.ensemble.cli.output.CommandErrors;
import io.ensemble.placement.ReplicaName;
import io.ensemble.reconfiguration.LostStoreDetector.LostStores;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Finds the caches moving to a site that have lost data there which no other site can restore.
 * Waits until a site that is only starting would have the data. A cache that cannot be checked does
 * not keep the others from the check.
 *
 * @param lostStores does one check
 * @param pause waits before the next check; returns false when there is no more time
 */
record MigrationLossCheck(
    String site,
    Function<String, Optional<StoredDefinition>> stored,
    Function<StoredDefinition, LostStores> lostStores,
    BooleanSupplier pause) {

  List<SiteRecovery.SiteRecoveryReport> of(Collection<String> caches, Consumer<String> progress) {
    List<SiteRecovery.SiteRecoveryReport> failed = new ArrayList<>();
    Set<String> open = new TreeSet<>(caches);
    boolean last = false;
    while (!open.isEmpty()) {
      boolean now = last;
      open.removeIf(cache -> isDecided(cache, now, failed));
      if (!open.isEmpty()) {
        progress.accept("%s: no store there yet".formatted(String.join(",", open)));
        last = !pause.getAsBoolean();
      }
    }
    return failed;
  }

  private boolean isDecided(
      String cache, boolean last, List<SiteRecovery.SiteRecoveryReport> failed) {
    try {
      LostStores lost = stored.apply(cache).map(lostStores).orElse(LostStores.NOTHING);
      if (lost.sites().stream().map(ReplicaName::siteOf).noneMatch(site::equals)) {
        return true;
      }
      if (lost.isConfirmed()) {
        failed.add(
            failed(cache, ChangeReport.lostAt(lost.sites()) + "; " + LostStoreMonitor.WHAT_TO_DO));
      } else if (last) {
        failed.add(failed(cache, ChangeReport.missingAt(lost.sites()) + "; repeat this command"));
      }
      return lost.isConfirmed() || last;
    } catch (RuntimeException away) {
      failed.add(failed(cache, CommandErrors.line(away)));
      return true;
    }
  }

  private static SiteRecovery.SiteRecoveryReport failed(String cache, String why) {
    return new SiteRecovery.SiteRecoveryReport(cache, "failed", null, 0, why);
  }
}
