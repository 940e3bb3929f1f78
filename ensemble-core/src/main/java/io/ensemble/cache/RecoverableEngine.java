package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.util.concurrent.CompletionStage;

/** An engine that can fill a site's new store from the other sites. */
public interface RecoverableEngine {

  /**
   * Copies into {@code fresh} all that the site must hold before it may answer again. The store
   * {@code fresh} is empty, and no other process uses it. Before the call, the site's former store
   * has been removed for every process. After success, {@code fresh} is published. After a failure
   * {@code fresh} is discarded, and the refill may be repeated.
   *
   * @return how many keys were copied; fails with {@link io.ensemble.QuorumUnavailableException}
   *     when too few of the other sites answer
   */
  CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline);
}
