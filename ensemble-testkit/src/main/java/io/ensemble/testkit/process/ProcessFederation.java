package io.ensemble.testkit.process;

import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.link.SiteLink;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.parallel.Parallel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Several {@link ProcessSite}s on this machine. {@link #close} stops them all; if this process dies
 * before that, they halt on their own.
 *
 * <p>Thread-safe.
 */
public final class ProcessFederation implements AutoCloseable {

  private static final int LOOK_SECONDS = 1;

  private final ProcessOptions options;
  private final DataDirectory directory;
  private final WanRelays area;
  private final List<ProcessSite> sites = new ArrayList<>();
  private final ScheduledExecutorService watch;

  private ProcessFederation(ProcessOptions options, DataDirectory directory) {
    this.options = options;
    this.directory = directory;
    this.area = new WanRelays(options.wan(), options.progress());
    this.watch =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "ensemble-node-watch");
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Starts all sites and returns when every node is healthy. Persistent sites start with their
   * former data.
   *
   * @throws IllegalStateException if a site cannot be started, with the reason; sites that had
   *     started are stopped again
   */
  public static ProcessFederation start(ProcessOptions options) {
    ClassArchive.provide(options);
    return startAtOnce(options);
  }

  static ProcessFederation startAtOnce(ProcessOptions options) {
    ProcessFederation federation = new ProcessFederation(options, DataDirectory.hold(options));
    try {
      if (options.security() != ProcessSecurity.OPEN) {
        FederationKeys.provide(options.directory(), options.siteNames(), options.security());
      }
      options.siteNames().forEach(federation::add);
      if (!federation.directory.isKept()) {
        federation.sites.forEach(ProcessSite::wipe);
      }
      Parallel.forEach(federation.sites, ProcessSite::start);
      if (options.persistent()) {
        ScheduledFuture<?> unused =
            federation.watch.scheduleWithFixedDelay(
                federation::checkSites, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
      }
    } catch (RuntimeException | Error failed) {
      federation.close();
      throw failed;
    }
    return federation;
  }

  private void add(String name) {
    SiteLink far = sites.isEmpty() ? null : area.to(name);
    SiteLink line = far == null && options.relays() ? SiteLink.DIRECT : far;
    IntFunction<Relay> relays = line == null ? null : port -> area.before(port, line);
    List<ServerNode> nodes = new ArrayList<>();
    for (int i = 0; i < options.nodesPerSite(); i++) {
      nodes.add(new ServerNode(name, i, options, relays));
    }
    sites.add(new ProcessSite(name, options, nodes));
  }

  private void checkSites() {
    try {
      sites.forEach(ProcessSite::checkNodes);
    } catch (RuntimeException e) {
      // The next check follows in 1 s; until then the marks stay unchanged.
      options.progress().accept("nodes cannot be marked: " + e.getMessage());
    }
  }

  /** The sites, in the order of their names in the options. */
  public List<ProcessSite> sites() {
    return List.copyOf(sites);
  }

  /**
   * The site of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public ProcessSite site(String name) {
    return sites.stream()
        .filter(site -> site.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such site: " + name));
  }

  /**
   * The file with the credentials for a catalog of this federation, as a catalog's address names
   * it; empty if no user is required.
   */
  public Optional<Path> catalogAccess() {
    return options.security().hasUsers()
        ? Optional.of(FederationKeys.catalogAccess(options.directory()))
        : Optional.empty();
  }

  /**
   * The measured delay and bandwidth of the links to the sites that are not local; empty without a
   * wide area.
   */
  public List<SiteLinkReport> lines() {
    return area.reports();
  }

  /** Kills every process immediately, as {@code kill -9}. */
  public void kill() {
    Parallel.forEach(sites, ProcessSite::kill);
  }

  /**
   * Kills every process immediately, whatever calls on the sites are under way; these calls then
   * fail. For a starter that is about to end itself.
   */
  public void abandon() {
    watch.shutdownNow();
    sites.forEach(ProcessSite::abandon);
  }

  @Override
  public void close() {
    watch.shutdownNow();
    try {
      Parallel.forEach(sites, ProcessSite::stop);
    } finally {
      area.close();
      directory.close();
    }
  }
}
