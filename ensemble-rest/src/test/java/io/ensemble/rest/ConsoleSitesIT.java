package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.rest.console.Browser;
import io.ensemble.rest.console.BrowserPage;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.link.WanProfile;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The console over real sites, of which one is killed. One cache is used by another process only.
 * Its pictures go to the directory that the property {@code ensemble.figures} names, after 75 s in
 * which curves are drawn.
 */
@Timeout(400)
class ConsoleSitesIT {

  private static final String FIGURES = System.getProperty("ensemble.figures", "");
  private static final int KEYS = 40;

  private final HttpClient client = HttpClient.newHttpClient();
  private final AtomicInteger writes = new AtomicInteger();

  @Test
  void aSiteThatIsKilledShowsWithinSeconds() throws Exception {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    InMemoryDefinitions catalog = new InMemoryDefinitions();
    ScheduledExecutorService traffic = Executors.newSingleThreadScheduledExecutor();
    Browser browser = ConsoleFixture.browser();
    try (EmbeddedFederation sites = EmbeddedFederation.start(near());
        EnsembleCacheManager manager =
            EnsembleCacheManager.builder().definitions(catalog).metrics(meters).build();
        RestService rest =
            RestService.start(
                manager,
                meters,
                new InetSocketAddress("127.0.0.1", 0),
                RequestAuthorizer.OPEN,
                RestLimits.DEFAULT);
        EnsembleCacheManager application =
            EnsembleCacheManager.builder().definitions(catalog).build();
        BrowserPage page = browser.page()) {
      define(rest.address(), sites);
      EnsembleCache<String, String> visits =
          application.createCache(
              CacheDefinition.of("visits", Mode.MWMR).sites("lyon", "oslo", "rome").build());
      traffic.scheduleWithFixedDelay(
          () -> visits.async().put("page", "v"), 0, 100, TimeUnit.MILLISECONDS);
      traffic.scheduleWithFixedDelay(() -> write(rest.address()), 0, 150, TimeUnit.MILLISECONDS);
      page.size(1280, 900, false).open(rest.address());
      page.until("rome serves", row("sites-body", "rome", "serving"));
      page.until("the primary is known", row("caches-body", "orders", "primary"));
      page.until("what others use has a rate", rate("caches-body", "visits"));
      for (String site : List.of("lyon", "oslo", "rome")) {
        page.until(site + " has a rate", rate("sites-body", site));
      }
      if (!FIGURES.isEmpty()) {
        page.until("a minute", "performance.now() > 25000", Duration.ofSeconds(29));
        page.until("a minute", "performance.now() > 50000", Duration.ofSeconds(29));
        page.until("a minute", "performance.now() > 75000", Duration.ofSeconds(29));
      }

      sites.site("rome").kill();

      page.until(
          "it shows",
          row("sites-body", "rome", "suspected") + "||" + row("sites-body", "rome", "unreachable"));
      page.until("a cache can lose no more", row("caches-body", "stock", "no further site"));
      page.until("it is told", "document.querySelector('#events-body').innerText.includes('rome')");
      lookUp(page);
      picture(page, "console-light", 1280);
      picture(page.prefers("prefers-color-scheme", "dark"), "console-dark", 1280);
      picture(page.prefers("prefers-color-scheme", "light"), "console-phone", 360);
      assertThat(page.errors).isEmpty();
    } finally {
      traffic.shutdownNow();
    }
  }

  private static String rate(String section, String row) {
    return "Number(%s?.querySelector('[data-title=\"Requests/s\"]')?.innerText.replaceAll(',', '')) > 0"
        .formatted(ConsoleFixture.row(section, row));
  }

  private static EmbeddedFederation.Options near() {
    return EmbeddedFederation.Options.defaults()
        .withNodesPerSite(1)
        .withWan(new WanProfile(Duration.ofMillis(8), 0));
  }

  private void define(URI service, EmbeddedFederation sites) throws Exception {
    Map<String, String> zones = Map.of("lyon", "west", "oslo", "north", "rome", "south");
    for (EmbeddedSite site : sites.sites()) {
      InetSocketAddress node = site.endpoints().get(0);
      made(
          service,
          "/sites",
          "{\"name\": \"%s\", \"endpoints\": [\"%s:%d\"], \"labels\": {\"zone\": \"%s\"}}"
              .formatted(
                  site.name(),
                  node.getHostString(),
                  node.getPort(),
                  zones.getOrDefault(site.name(), "")));
    }
    for (Map.Entry<String, String> cache :
        Map.of("stock", "MWMR", "orders", "SWMR", "sessions", "WEAK").entrySet()) {
      made(service, "/caches", cache(cache.getKey(), cache.getValue(), "lyon\", \"oslo\", \"rome"));
    }
    made(service, "/caches", cache("prices", "MWMR", "lyon"));
    for (int i = 0; i < KEYS; i++) {
      call(service, "PUT", "/caches/prices/entries/" + i, "v");
    }
    call(
        service,
        "PATCH",
        "/caches/prices",
        "{\"sites\": [\"lyon\", \"oslo\"], \"keysPerSecond\": 1}");
  }

  private static String cache(String name, String mode, String sites) {
    return "{\"name\": \"%s\", \"consistency\": \"%s\", \"sites\": [\"%s\"], \"deadlineMillis\": 4000}"
        .formatted(name, mode, sites);
  }

  private void made(URI service, String path, String json) throws Exception {
    HttpResponse<String> answer = call(service, "POST", path, json);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  private HttpResponse<String> call(URI service, String method, String path, String body)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(service.resolve(path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  /** Writes once to each cache; the page shows the outcomes. */
  private void write(URI service) {
    String key = "/entries/bolt-" + writes.incrementAndGet() % KEYS;
    for (String cache : new String[] {"stock", "orders", "sessions"}) {
      client.sendAsync(
          HttpRequest.newBuilder(service.resolve("/caches/" + cache + key))
              .PUT(BodyPublishers.ofString("v" + writes.get()))
              .build(),
          BodyHandlers.discarding());
    }
  }

  private static String row(String section, String name, String text) {
    return "[...document.querySelectorAll('#%s tbody tr')].find((row) => row.dataset.key === '%s')?.innerText.includes('%s')"
        .formatted(section, name, text);
  }

  private static void lookUp(BrowserPage page) {
    page.see("document.querySelector('#caches-body [data-cache=sessions]').click()");
    page.type("bolt-7").press("Enter");
    page.until(
        "the sites were asked", "document.querySelectorAll('#lookup-body tbody tr').length === 3");
    page.see("scrollTo(0, 0), document.activeElement.blur()");
  }

  private static void picture(BrowserPage page, String name, int width) throws Exception {
    page.size(width, 800, width < 500);
    page.until("it is drawn", "document.querySelectorAll('svg.plot').length > 3");
    assertThat(page.see("document.documentElement.scrollWidth").asInt()).isLessThanOrEqualTo(width);
    byte[] picture = page.picture(true);
    assertThat(picture.length).isGreaterThan(20_000);
    Path directory = FIGURES.isEmpty() ? Path.of("target", "figures") : Path.of(FIGURES);
    Files.createDirectories(directory);
    Files.write(directory.resolve(name + ".png"), picture);
  }
}
