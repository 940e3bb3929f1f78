package io.ensemble.deploy.federation;

import io.ensemble.site.hotrod.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A site as its nodes answer just now.
 *
 * @param reachable whether at least one does
 * @param pingMillis the quickest answer; null when none came
 */
public record SiteStatus(
    String name, boolean reachable, @Nullable Double pingMillis, List<Node> nodes) {

  private static final Duration LONGEST_PING = Duration.ofSeconds(2);

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

  /** Asks every node of every site, all at once: as slow as the slowest, at most four seconds. */
  public static List<SiteStatus> of(FederationState federation) {
    int nodes = federation.sites().stream().mapToInt(site -> site.endpoints().size()).sum();
    ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, Math.min(nodes, 64)));
    try {
      Function<String, CompletableFuture<Node>> ask =
          endpoint -> CompletableFuture.supplyAsync(() -> ask(endpoint), threads);
      List<List<CompletableFuture<Node>>> asked =
          federation.sites().stream()
              .map(site -> site.endpoints().stream().map(ask).toList())
              .toList();
      return IntStream.range(0, asked.size())
          .mapToObj(
              i ->
                  of(
                      federation.sites().get(i).name(),
                      asked.get(i).stream().map(CompletableFuture::join).toList()))
          .toList();
    } finally {
      threads.shutdown();
    }
  }

  private static SiteStatus of(String name, List<Node> nodes) {
    Optional<Double> quickest =
        nodes.stream()
            .flatMap(node -> Optional.ofNullable(node.pingMillis()).stream())
            .min(Double::compare);
    return new SiteStatus(name, quickest.isPresent(), quickest.orElse(null), nodes);
  }

  private static Node ask(String endpoint) {
    try {
      // The first one pays for loading classes here and there; the second is the site's.
      HotRodPing.of(Endpoint.parse(endpoint), LONGEST_PING);
      Duration took = HotRodPing.of(Endpoint.parse(endpoint), LONGEST_PING);
      return new Node(endpoint, true, Math.round(took.toNanos() / 1e3) / 1e3, null);
    } catch (IOException e) {
      return new Node(endpoint, false, null, String.valueOf(e.getMessage()));
    }
  }
}
