package io.ensemble.deploy.federation;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import java.util.function.Consumer;

/**
 * A federation of embedded sites that other processes can find, until it is closed. Closing is safe
 * from any thread and to repeat.
 */
public final class RunningFederation implements AutoCloseable {

  private final EmbeddedFederation sites;
  private final FederationFile.Claim claim;
  private final FederationState state;
  private boolean closed;

  private RunningFederation(
      EmbeddedFederation sites, FederationFile.Claim claim, FederationState state) {
    this.sites = sites;
    this.claim = claim;
    this.state = state;
  }

  /**
   * Starts it, and publishes it when every node answers.
   *
   * @param claim closed with this, or when this fails
   * @throws io.ensemble.deploy.CommandFailure if so many sites or nodes cannot be
   */
  public static RunningFederation start(
      FederationFile.Claim claim, int siteCount, int nodes, Consumer<String> progress) {
    try {
      EmbeddedFederation sites = LocalSites.start(siteCount, nodes, progress);
      try {
        return new RunningFederation(sites, claim, claim.publish(LocalSites.places(sites)));
      } catch (RuntimeException | Error e) {
        sites.close();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      claim.close();
      throw e;
    }
  }

  /** Its sites, for those who want to break them. */
  public EmbeddedFederation sites() {
    return sites;
  }

  /** As others see it. */
  public FederationState state() {
    return state;
  }

  /** Hides the federation first, so that nobody finds one that is going. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      try {
        claim.close();
      } finally {
        sites.close();
      }
    }
  }
}
