package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.console.BrowserPage;
import java.net.http.HttpResponse;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console in a real browser, over a federation in memory. */
@Timeout(120)
class ConsoleIT {

  static final String HOSTILE = "<img src=x onerror=\"window.broken=1\">";

  private ConsoleFixture it;

  @BeforeEach
  void watch() throws Exception {
    it = new ConsoleFixture();
  }

  @AfterEach
  void close() throws Exception {
    it.close();
  }

  @Test
  void thePageShowsTheSitesAndWhichCacheLivesWhere() throws Exception {
    it.create("stock", "MWMR");

    it.live();

    for (String site : it.served.sites.keySet()) {
      it.page.until(
          site + " serves",
          ConsoleFixture.row("sites-body", site) + "?.innerText.includes('serving')");
      assertThat(it.page.see(ConsoleFixture.row("sites-body", site) + ".innerText").asText())
          .startsWith(site);
    }
    String cache = ConsoleFixture.row("caches-body", "stock");
    it.page.until("the cache is there", cache + "?.innerText.includes('MWMR')");
    assertThat(it.page.see(cache + ".innerText").asText())
        .contains("one further site", "lyon", "rome");
  }

  @Test
  void aSiteThatIsGoneShowsWithinSeconds() throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "k");
    it.live();

    it.served.sites.get("rome").mood = MemorySite.Mood.MUTE;

    it.page.until(
        "rome is unreachable",
        ConsoleFixture.row("sites-body", "rome") + ".innerText.includes('unreachable')");
    it.page.until("it is said", "document.querySelector('#said').innerText.includes('rome')");
    it.page.until(
        "the cache can lose no more",
        ConsoleFixture.row("caches-body", "stock") + ".innerText.includes('no further site')");
    assertThat(it.page.text("#events-body")).contains("site unreachable", "rome");
  }

  /** The site itself is healthy. */
  @Test
  void aCacheThatLacksAReplicaIsMarkedWithTheReason() throws Exception {
    it.create("stock", "MWMR");
    MemorySite rome = it.served.sites.get("rome");
    rome.dead.add(it.served.manager.stored("stock").orElseThrow().store("rome").orElseThrow());

    it.live();

    String cache = ConsoleFixture.row("caches-body", "stock");
    it.page.until("it is marked", cache + "?.innerText.includes('2 of 3 replicas')");
    assertThat(it.page.see(cache + ".querySelector('[data-key=replicas]').title").asText())
        .isEqualTo("rome: its node does not answer");
    assertThat(it.page.see(cache + ".querySelector('.place[data-key=rome]').title").asText())
        .isEqualTo("rome: its node does not answer");
    assertThat(it.page.text("#summary")).contains("1 lacks replicas");
    assertThat(it.page.text("#sites-body")).doesNotContain("unreachable", "suspected");
    rome.dead.clear();
    it.page.until("it is whole", "!" + cache + ".innerText.includes('replicas')");
    assertThat(it.page.text("#events-body")).contains("replicas complete again");
  }

  @Test
  void aCacheThatIsCreatedAppearsAndOneThatIsDeletedGoes() throws Exception {
    it.live();
    it.page.until(
        "there is none", "document.querySelector('#caches-body').innerText.includes('no cache')");

    it.create("new", "WEAK");
    it.put("new", "k");

    it.page.until(
        "it is there", ConsoleFixture.row("caches-body", "new") + "?.innerText.includes('WEAK')");
    it.page.until(
        "its lag is drawn", "document.querySelectorAll('#lag-body svg[role=img]').length === 3");
    it.served.call("DELETE", "/caches/new", new byte[0]);
    it.page.until("it is gone", "!" + ConsoleFixture.row("caches-body", "new"));
  }

  @Test
  void namesAreTextWhateverTheySay() throws Exception {
    it.create(HOSTILE, "MWMR");
    it.create("__proto__", "WEAK");
    it.create("\"><script>window.broken=1</script>", "SWMR");
    it.served.json(
        "POST",
        "/sites",
        "{\"name\": %s, \"endpoints\": [\"h:1\"], \"labels\": {\"zone\": %s}}"
            .formatted(
                BrowserPage.quoted("<svg onload=window.broken=1>"), BrowserPage.quoted(HOSTILE)));

    it.live();

    it.page.until(
        "the cache is there",
        ConsoleFixture.row("caches-body", HOSTILE) + "?.innerText.includes('<img')");
    it.page.until(
        "another is",
        ConsoleFixture.row("caches-body", "__proto__") + "?.innerText.includes('WEAK')");
    it.page.see(ConsoleFixture.row("caches-body", HOSTILE) + ".querySelector('button').click()");
    it.page.type(HOSTILE).press("Enter");
    it.page.until(
        "the key is told of", "document.querySelectorAll('#lookup-body tbody tr').length === 3");
    assertThat(it.page.see("typeof window.broken").asText()).isEqualTo("undefined");
    assertThat(it.page.see("document.images.length").asInt()).isZero();
    assertThat(it.page.see("document.scripts.length").asInt()).isEqualTo(1);
  }

  @Test
  void aTextThatIsMadeMarkupIsRefusedByThePolicy() {
    it.live();

    JsonNode refused =
        it.page.see(
            "(() => { try { document.body.innerHTML = '<b>x</b>'; return false; } catch (e) {"
                + " return true; } })()");

    assertThat(refused.asBoolean()).isTrue();
    it.page.errors.clear(); // The browser reports what it refused.
  }

  @Test
  void theVersionsOfAKeyStandOnALineOfTime() throws Exception {
    it.create("pages", "MWMR");
    for (int i = 0; i < 3; i++) {
      it.served.call("POST", "/caches/pages/versions/home", ("v" + i).getBytes());
    }
    it.live();
    it.page.until(
        "the cache is there", ConsoleFixture.row("caches-body", "pages") + " !== undefined");

    it.page.see(ConsoleFixture.row("caches-body", "pages") + ".querySelector('button').click()");
    it.page.type("home").press("Enter");
    it.page.until("it is offered", "document.querySelector('[data-do=versions]') !== null");
    it.page.see("document.querySelector('[data-do=versions]').click()");

    it.page.until("three are told", "document.querySelectorAll('.timeline li').length === 3");
    assertThat(it.page.see("document.querySelectorAll('.strip .curve').length").asInt())
        .isEqualTo(3);
  }

  @Test
  void aStreamThatIsLostShowsAndComesBack() throws Exception {
    it.create("stock", "MWMR");
    it.live();
    it.page.until(
        "the cache is there", ConsoleFixture.row("caches-body", "stock") + " !== undefined");

    int port = it.served.service.address().getPort();
    it.served.service.close();

    it.page.until("it shows", "!document.querySelector('#alarm').hidden");
    assertThat(it.page.text("#alarm")).startsWith("Not live since ");
    assertThat(it.page.text("#stream-state").strip()).startsWith("not live since ");
    assertThat(it.page.text("#caches-body")).contains("stock");
    try (RestService again = ConsoleRestServices.open(it.served, port)) {
      it.page.until(
          "it is back", "document.querySelector('#stream-state').innerText.trim() === 'live'");
      assertThat(it.page.see("document.querySelector('#alarm').hidden").asBoolean()).isTrue();
      assertThat(it.page.text("#events-body")).contains("not live");
    }
  }

  @Test
  void aTokenIsAskedForAndKeptInTheTabOnly() throws Exception {
    try (RestService secured = ConsoleRestServices.wanting(it.served, "s3cret")) {
      it.page.open(secured.address());
      it.page.until("it is asked for", "document.querySelector('#token').open");

      it.page.type("s3cret").press("Enter");

      it.page.until(
          "it is live", "document.querySelector('#stream-state').innerText.trim() === 'live'");
      assertThat(it.page.see("localStorage.length + document.cookie.length").asInt()).isZero();
      assertThat(it.page.text("body")).doesNotContain("s3cret");
    }
  }

  @Test
  void aTokenInTheAddressIsUsedAndTakenOutOfIt() throws Exception {
    try (RestService secured = ConsoleRestServices.wanting(it.served, "s3cret")) {
      it.page.open(secured.address().resolve("/#token=s3cret"));

      it.page.until(
          "it is live", "document.querySelector('#stream-state').innerText.trim() === 'live'");
      assertThat(it.page.see("location.href").asText()).doesNotContain("s3cret");
      assertThat(it.page.see("document.querySelector('#token').open").asBoolean()).isFalse();

      it.page.see("location.hash = 'token=another', 1");
      it.page.until("it is taken out", "!location.href.includes('another')");
      assertThat(it.page.see("sessionStorage.getItem('ensemble-token')").asText())
          .isEqualTo("s3cret");
      assertThat(it.page.text("#said")).contains("another token");
    }
  }

  @Test
  void aMigrationShowsItsProgressAndIsCancelled() throws Exception {
    assertThat(
            it.served
                .json(
                    "POST",
                    "/caches",
                    "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}")
                .statusCode())
        .isEqualTo(201);
    for (int i = 0; i < 30; i++) {
      it.put("c", "k" + i);
    }
    it.live();
    it.served.json(
        "PATCH", "/caches/c", "{\"sites\": [\"lyon\", \"oslo\", \"rome\"], \"keysPerSecond\": 1}");

    String button = "document.querySelector('#operations-body button')";
    it.page.until("it shows", button + " !== null");
    assertThat(it.page.text("#operations-body"))
        .contains("c", "change of a cache", "lyon, oslo, rome");
    it.page.until(
        "its progress is told",
        "/\\b[1-9]\\d* keys? copied/.test(document.querySelector('#operations-body').innerText)");
    it.page.see(button + ".focus()");
    it.page.press("Enter");
    it.page.until("it is asked", "document.querySelector('#confirm').open");
    assertThat(it.page.see("document.activeElement.id").asText()).isEqualTo("confirm-no");
    it.page.press("Tab").press("Enter");

    it.page.until(
        "it is over",
        "document.querySelector('#operations-body').innerText.includes('No migration')");
    it.page.until(
        "it is told", "document.querySelector('#events-body').innerText.includes('change ended')");
    assertThat(new String(it.served.get("/caches/c").body())).contains("\"replication\":1");
  }

  @Test
  void everythingIsServedUnderThePolicy() throws Exception {
    for (String path : Set.of("/", "/console/main.js", "/console/console.css")) {
      HttpResponse<byte[]> answer = it.served.get(path);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      String etag = answer.headers().firstValue("ETag").orElseThrow();
      assertThat(it.served.get(path, "If-None-Match", etag).statusCode()).isEqualTo(304);
    }
    assertThat(it.served.get("/console/..%2Fopenapi%2Fschemas.json").statusCode()).isEqualTo(404);
    assertThat(it.served.get("/console/Console.class").statusCode()).isEqualTo(404);
  }
}
