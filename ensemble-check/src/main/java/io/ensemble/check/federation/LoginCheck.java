package io.ensemble.check.federation;

import io.ensemble.cache.BlockingCall;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of a login at a site.
 *
 * @param user the user name
 * @param accepted whether the site accepts the user
 * @param error the reason for a refusal; null if accepted
 */
public record LoginCheck(String user, boolean accepted, @Nullable String error) {

  private static final Duration LONGEST = Duration.ofSeconds(6);
  private static final String NO_STORE = "ensemble-sites";

  /**
   * Logs in by a request for a store that does not exist, which the site answers only for accepted
   * users; null without credentials.
   */
  static @Nullable LoginCheck at(SiteConfiguration site) {
    Credentials credentials = site.credentials();
    if (credentials == null) {
      return null;
    }
    try (ThreadScheduler scheduler = new ThreadScheduler();
        Site pingedSite = HotRod.connect(site, scheduler)) {
      Deadline deadline = Deadline.after(LONGEST, scheduler);
      BlockingCall.result(
          () -> pingedSite.open(NO_STORE, StoreKind.PLAIN, deadline), LONGEST, scheduler);
      return new LoginCheck(credentials.user(), true, null);
    } catch (SiteException answer) {
      boolean accepted = answer.reason() == SiteException.Reason.STORE_LOST;
      return new LoginCheck(
          credentials.user(), accepted, accepted ? null : String.valueOf(answer.getMessage()));
    }
  }
}
