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
 * What befalls the sites, one thing after the other, which of them by the seed. A fault that is to
 * leave requests refused or unknown lasts until one was, so that how fast the machine is decides
 * nothing; if none is for long it is left to whoever counts.
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
   * @param failed whether the clients have given up, so that nobody meets a fault any more
   */
  SiteFaults(
      List<ProcessSite> sites, RetryCounts retryCounts, BooleanSupplier failed, Random which) {
    this.sites = new ArrayList<>(sites);
    Collections.shuffle(this.sites, which);
    this.retryCounts = retryCounts;
    this.failed = failed;
  }

  /** Lost replies, then two sites paused: too few for any write. No process has to start again. */
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

  /** All of them once. */
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
   * What is asked of them is done, and nobody hears of it. A write to an entry that was in its
   * midst when it began is unknown; what begins later is refused, so it comes again. Then until
   * those give up, too, that try for longer than a cache's deadline.
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
   * Two sites are not heard for so long that those who ask counters and locks give up, and again
   * until one was in the midst of its step, so that its end is unknown, though not for ever.
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

  /** Two sites die at once, and the third when they are back. */
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

  /** Whatever was begun is over; a site that a failed run has left dead stays so. */
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

  /** So long, and until at least this has come meanwhile. */
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
