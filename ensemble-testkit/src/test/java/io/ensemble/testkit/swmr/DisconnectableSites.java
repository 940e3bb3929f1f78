package io.ensemble.testkit.swmr;

import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * The sites of one process, which can be cut off from some or all of them, without an effect on
 * other processes.
 */
final class DisconnectableSites {

  private volatile Predicate<String> cut = site -> false;

  void cut() {
    cut = site -> true;
  }

  void cut(Set<String> sites) {
    cut = sites::contains;
  }

  void heal() {
    cut = site -> false;
  }

  Site site(Site real) {
    return InterceptedSite.of(
        real,
        (site, request, arguments, perform) ->
            cut.test(site)
                ? Optional.of(
                    CompletableFuture.failedFuture(
                        SiteException.notSent(
                            site, Reason.UNREACHABLE, "the process is cut off", null)))
                : Optional.empty());
  }
}
