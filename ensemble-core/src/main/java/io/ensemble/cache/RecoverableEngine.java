package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.concurrent.CompletionStage;

/** An engine that can fill a site's new store from the other sites. */
public interface RecoverableEngine {

  /**
   * Copies into {@code fresh}, which is empty and which nobody else knows, all that the site must
   * know before it may answer again. The site's former store is gone for everyone before this is
   * called, and {@code fresh} is published after it has succeeded. After a failure {@code fresh} is
   * thrown away, and the whole may be repeated.
   *
   * @return how many keys were copied; fails with {@link io.ensemble.QuorumUnavailableException}
   *     when too few of the other sites answer
   */
  CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline);
}
