package io.ensemble.rest.retries;

import io.ensemble.testkit.link.NodeLink;
import io.ensemble.testkit.process.ProcessSite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Faults of the sites, one after the other; the seed chooses the sites. A fault that is to leave
 * requests refused or unknown lasts until one was, so that the speed of the machine does not
 * matter. If none is for long, the fault ends, and the caller's check of the counts fails.
 */
public final class SiteFaults {

  private static final int MOMENT_MILLIS = 20;
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int MOST_SILENCES = 4;
  private static final int MOST_TIMES = 10;
  private static final int SHORT_MILLIS = 500;
  private static final int LONG_MILLIS = 1_200; // More than a cache's deadline.

  private final List<ProcessSite> sites;
  private final RetryCounts retryCounts;
  private final BooleanSupplier failed;

  /**
   * @param failed whether the clients have stopped, so that they meet no fault any more
   */
  SiteFaults(
      List<ProcessSite> sites, RetryCounts retryCounts, BooleanSupplier failed, Random which) {
    this.sites = new ArrayList<>(sites);
    Collections.shuffle(this.sites, which);
    this.retryCounts = retryCounts;
    this.failed = failed;
  }

  /** Lost replies, then two paused sites, too few for any write. No process has to start again. */
  public void brief() {
    ProcessSite one = sites.get(0);
    ProcessSite other = sites.get(1);
    loseReplies(one, other);
    heal();
    calm();
    one.pauseNode(0);
    other.pauseNode(0);
    lasts(SHORT_MILLIS, "refused");
    one.resumeNode(0);
    other.resumeNode(0);
    calm();
  }

  /** Each fault once, except {@link #silences} and {@link #deaths}. */
  public void all() {
    ProcessSite one = sites.get(0);
    ProcessSite other = sites.get(1);
    ProcessSite third = sites.get(2);
    unheard(one, other);
    calm();
    one.kill();
    other.pauseNode(0);
    lasts(SHORT_MILLIS, "refused");
    other.resumeNode(0);
    one.start();
    calm();
    sites.forEach(site -> link(site).cut());
    lasts(SHORT_MILLIS, "refused");
    heal();
    calm();
    third.pauseNode(0);
    link(one).cut();
    lasts(LONG_MILLIS, "refused");
    third.resumeNode(0);
    heal();
    calm();
    link(third).blockRequests();
    link(other).blockReplies();
    lasts(SHORT_MILLIS, "refused");
    heal();
    calm();
  }

  /**
   * Two sites perform requests and cannot reply. A write to an entry that is under way at the
   * beginning has an unknown outcome; later writes are refused, so the fault is repeated. It then
   * lasts until calls of objects, which are retried for longer, fail too.
   */
  private void unheard(ProcessSite one, ProcessSite other) {
    loseReplies(one, other);
    lasts(0, "object out of reach");
    heal();
  }

  private void loseReplies(ProcessSite one, ProcessSite other) {
    long before = retryCounts.of("unknown");
    for (int i = 0; i < MOST_TIMES && retryCounts.of("unknown") == before && goesOn(); i++) {
      heal();
      calm();
      link(one).blockReplies();
      link(other).blockReplies();
      RetryingClient.pause(LONG_MILLIS);
    }
  }

  private boolean goesOn() {
    return !failed.getAsBoolean();
  }

  /**
   * Two sites cannot reply until calls of counters and locks fail. This is repeated, at most four
   * times, until such a call has an unknown outcome.
   */
  public void silences() {
    long before = retryCounts.of("object unknown");
    for (int i = 0;
        i < MOST_SILENCES && retryCounts.of("object unknown") == before && goesOn();
        i++) {
      calm();
      unheard(sites.get(0), sites.get(1));
    }
    calm();
  }

  /** Two sites are killed, and the third one after they are back. */
  public void deaths() {
    sites.get(0).kill();
    sites.get(1).kill();
    lasts(SHORT_MILLIS, "object out of reach");
    sites.get(0).start();
    sites.get(1).start();
    calm();
    sites.get(2).kill();
    calm();
    sites.get(2).start();
    calm();
  }

  /** Ends all faults; a site that a failed run has left dead stays dead. */
  public void end() {
    for (ProcessSite site : sites) {
      if (site.isRunning(0)) {
        site.resumeNode(0);
      }
    }
    heal();
  }

  private void heal() {
    sites.forEach(site -> link(site).heal());
  }

  private static NodeLink link(ProcessSite site) {
    return site.link(0);
  }

  private void calm() {
    lasts(SHORT_MILLIS, "answered");
  }

  /** Waits {@code millis}, and until {@code what} was counted meanwhile. */
  private void lasts(int millis, String what) {
    long before = retryCounts.of(what);
    long begin = System.nanoTime();
    RetryingClient.pause(millis);
    while (retryCounts.of(what) == before
        && goesOn()
        && System.nanoTime() - begin < LONGEST_NANOS) {
      RetryingClient.pause(MOMENT_MILLIS);
    }
  }
}
