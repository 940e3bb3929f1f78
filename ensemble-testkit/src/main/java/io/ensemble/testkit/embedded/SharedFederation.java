package io.ensemble.testkit.embedded;

import io.ensemble.cache.BlockingCall;
import io.ensemble.testkit.embedded.EmbeddedFederation.Options;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Federations that the tests of one JVM share, because to start one takes longer than most tests. A
 * federation starts when a test first requests it and lives until the JVM ends.
 *
 * <p>A test that uses a federation gives its caches names that no other test uses, and deletes
 * them. A test may stop nodes or break links only if every node runs and every link works again
 * when the test ends. Tests that erase the memory of a site start a federation of their own.
 *
 * <p>Thread-safe.
 */
public final class SharedFederation {
  private static final Duration LONGEST_BALANCING = Duration.ofMinutes(1);

  private static @Nullable EmbeddedFederation threeSites;
  private static @Nullable EmbeddedFederation threeNodes;

  private SharedFederation() {}

  /**
   * Three sites of one node each: lyon, oslo and rome.
   *
   * @throws IllegalStateException if an earlier test left a site without its node; the message
   *     names the site
   */
  public static synchronized EmbeddedFederation threeSites() {
    if (threeSites == null) {
      threeSites = EmbeddedFederation.start(Options.defaults().withNodesPerSite(1));
    }
    return requireBalanced(threeSites);
  }

  /**
   * One site of three nodes: lyon.
   *
   * @throws IllegalStateException if an earlier test left a node stopped, or a cache unbalanced
   */
  public static synchronized EmbeddedFederation threeNodes() {
    if (threeNodes == null) {
      threeNodes = EmbeddedFederation.start(Options.defaults().withSiteNames("lyon"));
    }
    return requireBalanced(threeNodes);
  }

  /**
   * Repairs the links of {@link #threeSites} and restarts the sites that are down. A test that
   * breaks sites calls this method at its end, so that its failure does not let the tests after it
   * fail.
   */
  public static synchronized void restoreThreeSites() {
    if (threeSites == null) {
      return;
    }
    for (EmbeddedSite site : threeSites.sites()) {
      site.resume();
      if (!site.isRunning()) {
        site.restart();
      }
    }
  }

  private static EmbeddedFederation requireBalanced(EmbeddedFederation federation) {
    for (EmbeddedSite site : federation.sites()) {
      if (BlockingCall.poll(() -> site.isBalanced() ? site : null, LONGEST_BALANCING) == null) {
        throw new IllegalStateException(
            "an earlier test left a shared site with a node stopped or a cache unbalanced; site="
                + site.name()
                + ": "
                + site.imbalance().orElse("it is now"));
      }
    }
    return federation;
  }
}
