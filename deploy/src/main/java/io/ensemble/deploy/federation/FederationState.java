package io.ensemble.deploy.federation;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A running federation as other processes find it.
 *
 * @param version of this form; {@value #VERSION}
 * @param pid the process that it lives in
 * @param pidStarted when that process began, null where the system does not tell: a number alone
 *     may be another process's by now
 * @param sites its sites, in the order in which caches prefer them
 * @param definitions the directory of its caches' definitions
 */
public record FederationState(
    int version, long pid, @Nullable String pidStarted, List<Place> sites, String definitions) {

  /** The form that this program writes and reads. */
  public static final int VERSION = 1;

  public FederationState {
    sites = List.copyOf(sites);
  }

  /**
   * A site and where its nodes answer.
   *
   * @param name the site's name
   * @param endpoints {@code host:port} of every node
   */
  public record Place(String name, List<String> endpoints) {
    public Place {
      endpoints = List.copyOf(endpoints);
    }
  }

  /** The federation of this process. */
  static FederationState ofThisProcess(List<Place> sites, Path definitions) {
    ProcessHandle self = ProcessHandle.current();
    return new FederationState(
        VERSION, self.pid(), started(self).orElse(null), sites, definitions.toString());
  }

  /** Whether its process runs. */
  public boolean runs() {
    Optional<ProcessHandle> process = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    return process.isPresent()
        && (pidStarted == null || started(process.get()).map(pidStarted::equals).orElse(true));
  }

  /** The names of the sites, in order. */
  public List<String> siteNames() {
    return sites.stream().map(Place::name).toList();
  }

  private static Optional<String> started(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString);
  }
}
