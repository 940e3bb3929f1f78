package io.ensemble.testkit.embedded;

import io.ensemble.testkit.link.Relay;
import io.ensemble.testkit.link.SiteLink;
import io.ensemble.testkit.link.SiteLinkReport;
import io.ensemble.testkit.link.Traffic;
import io.ensemble.testkit.link.WanProfile;
import io.ensemble.testkit.link.WanRelays;
import io.ensemble.testkit.parallel.Parallel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Several {@link EmbeddedSite}s started together in this JVM. Closing it stops them all and frees
 * their ports.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedFederation implements AutoCloseable {
  private final List<EmbeddedSite> sites;
  private final WanRelays area;

  private EmbeddedFederation(List<EmbeddedSite> sites, WanRelays area) {
    this.sites = sites;
    this.area = area;
  }

  /**
   * The sites to start, and their options.
   *
   * @param siteNames distinct names, one for each site
   * @param nodesPerSite 1 or more; a site of two nodes does not survive the loss of one, because of
   *     Infinispan's partition handling
   * @param security the authentication and encryption that every site requires of its clients
   * @param wan the emulated network to every site but the first, which is the local one
   * @param progress receives a short line for each site that has started or stopped, from several
   *     threads
   */
  public record Options(
      List<String> siteNames,
      int nodesPerSite,
      EmbeddedSecurity security,
      WanProfile wan,
      Consumer<String> progress) {
    // The name goes into the node's XML and into thread and cluster names.
    private static final Pattern SITE_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    public Options {
      siteNames = List.copyOf(siteNames);
      if (siteNames.isEmpty() || new HashSet<>(siteNames).size() != siteNames.size()) {
        throw new IllegalArgumentException(
            "site names must be distinct, and at least one is required: " + siteNames);
      }
      for (String name : siteNames) {
        if (!SITE_NAME.matcher(name).matches()) {
          throw new IllegalArgumentException(
              "site name must be letters, digits, dots and dashes: " + name);
        }
      }
      if (nodesPerSite < 1) {
        throw new IllegalArgumentException("a site requires at least one node: " + nodesPerSite);
      }
    }

    /**
     * Sites lyon, oslo and rome of three nodes each, without security, without network delay and
     * without progress lines.
     */
    public static Options defaults() {
      return new Options(
          List.of("lyon", "oslo", "rome"),
          3,
          EmbeddedSecurity.open(),
          WanProfile.NONE,
          siteLink -> {});
    }

    public Options withWan(WanProfile wanted) {
      return new Options(siteNames, nodesPerSite, security, wanted, progress);
    }

    public Options withSiteNames(String... names) {
      return new Options(List.of(names), nodesPerSite, security, wan, progress);
    }

    public Options withNodesPerSite(int count) {
      return new Options(siteNames, count, security, wan, progress);
    }

    public Options withSecurity(EmbeddedSecurity wanted) {
      return new Options(siteNames, nodesPerSite, wanted, wan, progress);
    }

    public Options withProgress(Consumer<String> listener) {
      return new Options(siteNames, nodesPerSite, security, wan, listener);
    }
  }

  /**
   * Starts all sites and returns when every node answers.
   *
   * @throws RuntimeException if a node cannot start; whatever had started is stopped again
   */
  public static EmbeddedFederation start(Options options) {
    WanRelays area = new WanRelays(options.wan(), options.progress());
    List<EmbeddedSite> sites = new ArrayList<>();
    EmbeddedFederation federation = new EmbeddedFederation(sites, area);
    try {
      for (String name : options.siteNames()) {
        sites.add(
            new EmbeddedSite(
                name,
                options.nodesPerSite(),
                options.security(),
                relays(area, sites.isEmpty() ? null : area.to(name)),
                options.progress()));
      }
      Parallel.forEach(sites, EmbeddedSite::start);
    } catch (RuntimeException | Error failed) {
      federation.close();
      throw failed;
    }
    return federation;
  }

  private static @Nullable IntFunction<Relay> relays(WanRelays area, @Nullable SiteLink siteLink) {
    return siteLink == null ? null : port -> area.before(port, siteLink);
  }

  /** The sites, in the order of their names in the options. */
  public List<EmbeddedSite> sites() {
    return List.copyOf(sites);
  }

  /**
   * The measured delay and bandwidth of the links to the sites that are not local; empty without a
   * wide area.
   */
  public List<SiteLinkReport> lines() {
    return area.reports();
  }

  /** The traffic over the link to each site that is not local since the federation was made. */
  public Map<String, Traffic> traffic() {
    return area.traffic();
  }

  /**
   * The site of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public EmbeddedSite site(String name) {
    return sites.stream()
        .filter(site -> site.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such site: " + name));
  }

  @Override
  public void close() {
    try {
      Parallel.forEach(sites, EmbeddedSite::stop);
    } finally {
      area.close();
    }
  }
}
