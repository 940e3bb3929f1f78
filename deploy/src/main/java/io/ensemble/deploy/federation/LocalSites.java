package io.ensemble.deploy.federation;

import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.ExitCode;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.util.List;
import java.util.function.Consumer;

/** Starts sites in this process, and says where they are. */
public final class LocalSites {

  private static final int MOST_NODES = 9;

  private LocalSites() {}

  /**
   * Starts {@code sites} sites of {@code nodes} nodes each.
   *
   * @param progress told in short lines, from several threads
   * @throws CommandFailure if there may not be so many
   */
  public static EmbeddedFederation start(int sites, int nodes, Consumer<String> progress) {
    List<String> names = SiteNames.first(sites);
    if (nodes < 1 || nodes > MOST_NODES) {
      throw new CommandFailure(
          ExitCode.USAGE, "--nodes wants 1 to " + MOST_NODES + " nodes a site; got " + nodes);
    }
    return EmbeddedFederation.start(
        EmbeddedFederation.Options.defaults()
            .withSiteNames(names.toArray(String[]::new))
            .withNodesPerSite(nodes)
            .withProgress(progress));
  }

  /** The sites and their endpoints. */
  public static List<Place> places(EmbeddedFederation federation) {
    return federation.sites().stream().map(LocalSites::place).toList();
  }

  private static Place place(EmbeddedSite site) {
    return new Place(
        site.name(),
        site.endpoints().stream().map(at -> at.getHostString() + ":" + at.getPort()).toList());
  }
}
