package io.ensemble.check.federation;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A federation as commands find it: one that a process of ours runs, or sites that somebody wrote
 * down.
 *
 * @param version of this form; {@value #VERSION}
 * @param pid the process that it lives in; 0 for sites that somebody wrote down
 * @param pidStarted when that process began, null where the system does not tell: a number alone
 *     may be another process's by now
 * @param sites its sites, in the order in which caches prefer them
 * @param catalog where its caches are defined: {@code zk://host:port,.../path}, or a directory
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
   * @throws IllegalArgumentException if there are no sites, or two of one name
   */
  public FederationDescriptor {
    if (sites == null || sites.isEmpty()) {
      throw new IllegalArgumentException("a federation wants sites");
    }
    sites = List.copyOf(sites);
    HashSet<String> names = new HashSet<>();
    for (SiteDescriptor site : sites) {
      if (!names.add(site.name())) {
        throw new IllegalArgumentException("a federation has each site once; site=" + site.name());
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
