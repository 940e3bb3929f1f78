package io.ensemble.testkit.embedded;

import io.ensemble.cache.BlockingCall;
import io.ensemble.testkit.embedded.EmbeddedFederation.Options;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Federations that the tests of one JVM share, because starting one takes longer than most tests.
 * Each is started when a test first asks for it and lives until the JVM ends.
 *
 * <p>A test that uses one gives its caches names that no other test uses, and deletes them. It may
 * stop nodes or break links only if every node runs and every link is whole again when it ends.
 * Tests that leave a site without its memory start a federation of their own.
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
   * @throws IllegalStateException naming the site that an earlier test left without its node
   */
  public static synchronized EmbeddedFederation threeSites() {
    if (threeSites == null) {
      threeSites = EmbeddedFederation.start(Options.defaults().withNodesPerSite(1));
    }
    return checked(threeSites);
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
    return checked(threeNodes);
  }

  /**
   * Heals the links of {@link #threeSites} and restarts the sites that are down. A test that breaks
   * sites calls it at its end, so that its failure does not fail the tests after it.
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

  private static EmbeddedFederation checked(EmbeddedFederation federation) {
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
