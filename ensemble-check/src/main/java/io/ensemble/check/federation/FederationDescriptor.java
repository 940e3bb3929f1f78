package io.ensemble.check.federation;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The description of a federation for commands. Ensemble runs the federation in one of its own
 * processes, or a user has written down its sites.
 *
 * @param version the version of this form; {@value #VERSION}
 * @param pid the id of the process that runs it; 0 for sites that a user wrote down
 * @param pidStarted the start time of that process, null if the system does not report it; a
 *     process id alone may have been reused
 * @param sites its sites, in the order in which caches prefer them
 * @param catalog the address of the catalog: {@code zk://host:port,.../path}, or a directory
 */
public record FederationDescriptor(
    int version,
    long pid,
    @Nullable String pidStarted,
    List<SiteDescriptor> sites,
    String catalog) {

  /** The form that this program writes and reads. */
  public static final int VERSION = 1;

  /**
   * @throws IllegalArgumentException if there are no sites, or two have the same name
   */
  public FederationDescriptor {
    if (sites == null || sites.isEmpty()) {
      throw new IllegalArgumentException("a federation requires sites");
    }
    sites = List.copyOf(sites);
    HashSet<String> names = new HashSet<>();
    for (SiteDescriptor site : sites) {
      if (!names.add(site.name())) {
        throw new IllegalArgumentException("site names must be unique; site=" + site.name());
      }
    }
  }

  /** The federation of this process. */
  static FederationDescriptor ofThisProcess(List<SiteDescriptor> sites, String catalog) {
    ProcessHandle self = ProcessHandle.current();
    return new FederationDescriptor(
        VERSION, self.pid(), started(self).orElse(null), sites, catalog);
  }

  /** Whether its process runs, if it has one. */
  public boolean runs() {
    if (pid == 0) {
      return true;
    }
    Optional<ProcessHandle> process = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    return process.isPresent()
        && (pidStarted == null || started(process.get()).map(pidStarted::equals).orElse(true));
  }

  /** The names of the sites, in order. */
  public List<String> siteNames() {
    return sites.stream().map(SiteDescriptor::name).toList();
  }

  private static Optional<String> started(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString);
  }
}
