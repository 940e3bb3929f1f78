package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.rest.console.BrowserPage;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.schedule.ThreadScheduler;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** While the catalog cannot be read, the console shows no old data as current. */
@Timeout(120)
class ConsoleCatalogOutageIT {

  @TempDir Path directory;

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final PrometheusMeterRegistry meters =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private EnsembleCacheManager manager;
  private RestService service;

  @BeforeEach
  void start() {
    manager =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(FileDefinitions.in(directory.resolve("catalog")))
            .metrics(meters)
            .site(new MemorySite("lyon", scheduler))
            .build();
    manager.createCache(CacheDefinition.of("stock", Mode.WEAK).sites("lyon").build());
    manager.createCache(CacheDefinition.of("orders", Mode.WEAK).sites("lyon").build());
    service =
        RestService.start(
            manager,
            meters,
            new InetSocketAddress("127.0.0.1", 0),
            RequestAuthorizer.OPEN,
            RestLimits.DEFAULT);
  }

  @AfterEach
  void close() {
    service.close();
    manager.close();
    scheduler.close();
  }

  @Test
  void thePageSaysThatTheCatalogCannotBeReadAlsoToWhomOpensItThen() throws Exception {
    try (BrowserPage page = ConsoleFixture.browser().page()) {
      page.open(service.address());
      page.until("it is live", ConsoleFixture.row("caches-body", "stock") + " !== undefined");
      assertThat(page.see("document.querySelector('#doubt').hidden").asBoolean()).isTrue();

      Files.move(directory.resolve("catalog"), directory.resolve("away"));

      page.until("it is said", "!document.querySelector('#doubt').hidden");
      assertThat(page.text("#doubt")).contains("cannot read the catalog");
      page.open(service.address());
      page.until("it is said again", "!document.querySelector('#doubt').hidden");
      Files.move(directory.resolve("away"), directory.resolve("catalog"));
      page.until("it is read again", "document.querySelector('#doubt').hidden");
    }
  }

  @Test
  void oneRecordThatCannotBeReadHidesNoOther() throws Exception {
    try (Stream<Path> all = Files.walk(directory.resolve("catalog"))) {
      Path stock =
          all.filter(path -> path.getFileName().toString().contains("stock"))
              .filter(Files::isRegularFile)
              .findFirst()
              .orElseThrow();
      Files.writeString(stock, "nonsense");
    }

    JsonNode state =
        StrictJson.parse(
            HttpClient.newHttpClient()
                .send(
                    HttpRequest.newBuilder(URI.create(service.address() + "/federation")).build(),
                    BodyHandlers.ofByteArray())
                .body());

    assertThat(state.get("catalog").get("catalog").get("readable").asBoolean())
        .as("%s", state)
        .isTrue();
    assertThat(state.get("catalog").get("catalog").get("unreadable").get(0).asText())
        .isEqualTo("stock");
    assertThat(state.get("caches").has("orders")).isTrue();
  }
}
