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
 * A site as its nodes answer just now.
 *
 * @param reachable whether at least one does
 * @param pingMillis the quickest answer; null when none came
 * @param login whether it lets us in; null when it is asked without credentials, or is not there
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
   * One node.
   *
   * @param pingMillis null when it did not answer
   * @param error why it did not; null when it did
   */
  public record Node(
      String endpoint, boolean reachable, @Nullable Double pingMillis, @Nullable String error) {}

  /** Whether it can be worked with. */
  public boolean usable() {
    return reachable && (login == null || login.accepted());
  }

  /**
   * Asks every node of every site, all at once, then who gives credentials whether they are
   * accepted: as slow as the slowest, at most ten seconds, and sixteen with credentials.
   *
   * @throws CommandException if a site cannot be asked as it is told
   */
  public static List<SiteStatus> of(FederationDescriptor federation) {
    List<Asked> asked = federation.sites().stream().map(Asked::of).toList();
    int nodes = asked.stream().mapToInt(site -> site.configuration().endpoints().size()).sum();
    ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, Math.min(nodes, 64)));
    try {
      List<CompletableFuture<SiteStatus>> answers =
          asked.stream().map(site -> site.status(threads)).toList();
      return answers.stream().map(CompletableFuture::join).toList();
    } finally {
      threads.shutdown();
    }
  }

  /** A site that is asked. */
  private record Asked(SiteConfiguration configuration, SiteTransport wire) {

    static Asked of(SiteDescriptor siteDescriptor) {
      SiteConfiguration configuration = siteDescriptor.configuration();
      try {
        return new Asked(configuration, SiteTransport.to(configuration));
      } catch (IOException e) {
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
        // The first one pays for loading classes here and there; the second is the site's.
        HotRodPing.of(endpoint, wire, LONGEST_PING);
        Duration took = HotRodPing.of(endpoint, wire, LONGEST_PING);
        return new Node(endpoint.toString(), true, Math.round(took.toNanos() / 1e3) / 1e3, null);
      } catch (IOException e) {
        return new Node(endpoint.toString(), false, null, String.valueOf(e.getMessage()));
      }
    }
  }
}
