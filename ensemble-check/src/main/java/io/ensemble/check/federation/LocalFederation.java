package io.ensemble.check.federation;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.process.ProcessFederation;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Sites that this process has started, in itself or as processes. {@link #close} stops them. */
public sealed interface LocalFederation extends AutoCloseable {

  /** The sites and their endpoints. */
  List<SiteDescriptor> places();

  /** The file with the credentials for their catalog; empty if none are required. */
  default Optional<Path> catalogAccess() {
    return Optional.empty();
  }

  /** The measured delay and bandwidth of the links to sites that are not local. */
  List<SiteLinkReport> lines();

  @Override
  void close();

  /** All nodes in this process. */
  record Embedded(EmbeddedFederation sites) implements LocalFederation {

    @Override
    public List<SiteDescriptor> places() {
      return LocalSites.places(sites);
    }

    @Override
    public List<SiteLinkReport> lines() {
      return sites.lines();
    }

    @Override
    public void close() {
      sites.close();
    }
  }

  /**
   * Every node is a process.
   *
   * @param onDisk whether they store their data on disk
   */
  record Processes(ProcessFederation sites, boolean onDisk) implements LocalFederation {

    @Override
    public List<SiteDescriptor> places() {
      return sites.sites().stream()
          .map(LocalSites::place)
          .map(place -> onDisk ? place.onDisk() : place)
          .toList();
    }

    @Override
    public Optional<Path> catalogAccess() {
      return sites.catalogAccess();
    }

    @Override
    public List<SiteLinkReport> lines() {
      return sites.lines();
    }

    @Override
    public void close() {
      sites.close();
    }
  }
}
