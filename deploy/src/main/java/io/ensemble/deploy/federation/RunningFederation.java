package io.ensemble.deploy.federation;

import io.ensemble.testkit.link.LineReport;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A federation of local sites that other processes can find, until it is closed. Closing is safe
 * from any thread and to repeat.
 */
public final class RunningFederation implements AutoCloseable {

  private final LocalFederation sites;
  private final FederationFile.Claim claim;
  private final FederationState state;
  private boolean closed;

  private RunningFederation(
      LocalFederation sites, FederationFile.Claim claim, FederationState state) {
    this.sites = sites;
    this.claim = claim;
    this.state = state;
  }

  /**
   * Starts it, and publishes it when every node answers. Definitions of caches are kept where the
   * sites keep their entries, if they do.
   *
   * @param claim closed with this, or when this fails
   * @throws io.ensemble.deploy.CommandFailure if it cannot be
   */
  public static RunningFederation start(
      FederationFile.Claim claim, LocalPlan plan, Consumer<String> progress) {
    try {
      LocalFederation sites = LocalSites.start(plan, claim.scratch(), progress);
      try {
        Path data = plan.data();
        Path definitions =
            data == null
                ? claim.definitions()
                : data.toAbsolutePath().normalize().resolve("definitions");
        return new RunningFederation(sites, claim, claim.publish(sites.places(), definitions));
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
  public LocalFederation sites() {
    return sites;
  }

  /** What the lines to sites that are not local really give. */
  public List<LineReport> lines() {
    return sites.lines();
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
