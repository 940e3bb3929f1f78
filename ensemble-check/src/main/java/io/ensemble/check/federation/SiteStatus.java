package io.ensemble.check.federation;

import io.ensemble.check.process.CommandException;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The present state of a site, as its nodes report it.
 *
 * @param reachable whether at least one node answers
 * @param pingMillis the fastest answer; null if there was none
 * @param login the result of the login; null if there are no credentials, or the site is
 *     unreachable
 */
public record SiteStatus(
    String name,
    boolean reachable,
    @Nullable Double pingMillis,
    List<Node> nodes,
    @Nullable LoginCheck login) {

  private static final Duration LONGEST_PING = Duration.ofSeconds(5);

  public SiteStatus {
    nodes = List.copyOf(nodes);
  }

  /**
   * The state of one node.
   *
   * @param pingMillis the time of its answer; null if there was none
   * @param error the reason for no answer; null if there was one
   */
  public record Node(
      String endpoint, boolean reachable, @Nullable Double pingMillis, @Nullable String error) {}

  /** Whether clients can use it. */
  public boolean usable() {
    return reachable && (login == null || login.accepted());
  }

  /**
   * Pings every node of every site in parallel, then logs in at sites with credentials. Takes as
   * long as the slowest site, at most 10 s, and 16 s with credentials.
   *
   * @throws CommandException if the description of a site is invalid
   */
  public static List<SiteStatus> of(FederationDescriptor federation) {
    List<SiteToPing> sitesToPing = federation.sites().stream().map(SiteToPing::of).toList();
    int nodes =
        sitesToPing.stream().mapToInt(site -> site.configuration().endpoints().size()).sum();
    ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, Math.min(nodes, 64)));
    try {
      List<CompletableFuture<SiteStatus>> answers =
          sitesToPing.stream().map(site -> site.status(threads)).toList();
      return answers.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  /** A site to ping. */
  private record SiteToPing(SiteConfiguration configuration, SiteTransport wire) {

    static SiteToPing of(SiteDescriptor siteDescriptor) {
      SiteConfiguration configuration = siteDescriptor.configuration();
      try {
        return new SiteToPing(configuration, SiteTransport.to(configuration));
      } catch (IOException | IllegalStateException e) {
        throw new CommandException(e.getMessage() + "; site=" + siteDescriptor.name(), e);
      }
    }

    CompletableFuture<SiteStatus> status(ExecutorService threads) {
      List<CompletableFuture<Node>> nodes =
          configuration.endpoints().stream()
              .map(endpoint -> CompletableFuture.supplyAsync(() -> ask(endpoint), threads))
              .toList();
      return CompletableFuture.allOf(nodes.toArray(CompletableFuture[]::new))
          .thenApplyAsync(
              done -> status(nodes.stream().map(CompletableFuture::join).toList()), threads);
    }

    private SiteStatus status(List<Node> nodes) {
      Optional<Double> quickest =
          nodes.stream()
              .flatMap(node -> Optional.ofNullable(node.pingMillis()).stream())
              .min(Double::compare);
      return new SiteStatus(
          configuration.name(),
          quickest.isPresent(),
          quickest.orElse(null),
          nodes,
          quickest.isPresent() ? LoginCheck.at(configuration) : null);
    }

    private Node ask(Endpoint endpoint) {
      try {
        // The first ping includes the loading of classes on both sides; the second measures the
        // site.
        HotRodPing.of(endpoint, wire, LONGEST_PING);
        Duration took = HotRodPing.of(endpoint, wire, LONGEST_PING);
        return new Node(endpoint.toString(), true, Math.round(took.toNanos() / 1e3) / 1e3, null);
      } catch (IOException e) {
        return new Node(endpoint.toString(), false, null, String.valueOf(e.getMessage()));
      }
    }
  }
}
