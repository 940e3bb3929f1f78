package io.ensemble.testkit.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The relays of a federation: their threads, the link to each site, and the measurements of each
 * link before any server ran. {@link #close} closes the relays. Thread-safe.
 */
public final class WanRelays implements AutoCloseable {

  private static final int THREADS = 2;

  private final WanProfile wanProfile;
  private final Consumer<String> progress;
  private final List<SiteLinkReport> reports = new ArrayList<>();
  private final Map<String, SiteLink> lines = new LinkedHashMap<>();
  private final List<Relay> relays = new ArrayList<>();
  private @Nullable LinkThreads threads;

  /**
   * @param wanProfile the link to every site that is not local
   * @param progress receives a line for each measurement
   */
  public WanRelays(WanProfile wanProfile, Consumer<String> progress) {
    this.wanProfile = wanProfile;
    this.progress = progress;
  }

  /** Creates and measures the link to a site that is not local; null if all sites are near. */
  public synchronized @Nullable SiteLink to(String site) {
    if (wanProfile.isNothing()) {
      return null;
    }
    SiteLink line = SiteLink.of(wanProfile);
    progress.accept("measuring the link to " + site);
    lines.put(site, line);
    reports.add(SiteLinkProbe.of(site, wanProfile, line, threads()));
    return line;
  }

  /**
   * Puts a relay in front of the node that serves {@code port}.
   *
   * @throws IllegalStateException if the relay cannot listen
   */
  public synchronized Relay before(int port, SiteLink line) {
    InetSocketAddress node = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    Relay relay = Relay.listening(Ports.reserve(1), node, new NodeLink(line), threads());
    relays.add(relay);
    return relay;
  }

  private LinkThreads threads() {
    LinkThreads running = threads;
    if (running == null) {
      running = new LinkThreads(THREADS);
      threads = running;
    }
    return running;
  }

  /** The measurements of the links, in the order in which the links were made. */
  public synchronized List<SiteLinkReport> reports() {
    return List.copyOf(reports);
  }

  /** The traffic over the link to each site that is not local, including its measurement. */
  public synchronized Map<String, Traffic> traffic() {
    Map<String, Traffic> traffic = new LinkedHashMap<>();
    lines.forEach((site, line) -> traffic.put(site, line.traffic()));
    return traffic;
  }

  @Override
  public synchronized void close() {
    relays.forEach(Relay::close);
    relays.clear();
    if (threads != null) {
      threads.close();
    }
  }
}
