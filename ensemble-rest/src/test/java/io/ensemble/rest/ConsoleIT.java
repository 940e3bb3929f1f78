package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.console.BrowserPage;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
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

  /** The service that the page is of sends no request to the cache. */
  @Test
  void aFederationThatOthersUseShowsItsLoad() throws Exception {
    URI other = it.served.another();
    String body =
        "{\"name\": \"theirs\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\", \"oslo\", \"rome\"]}";
    it.served.call(other, "POST", "/caches", body.getBytes(), "Content-Type", "application/json");
    it.served.call(other, "PUT", "/caches/theirs/entries/k", "v".getBytes());

    it.live();

    for (String column : List.of("Entries", "Requests/s", "Mean ms", "p99 ms")) {
      it.page.until(
          column + " of lyon is a number", NUMBER.formatted(cell("sites-body", "lyon", column)));
    }
    it.page.until(
        "the cache has a rate", NUMBER.formatted(cell("caches-body", "theirs", "Requests/s")));
    it.page.until("the latency is there", NUMBER.formatted(cell("latency-body", "", "to rome")));
    it.page.until(
        "in short",
        NUMBER.formatted("document.querySelector('#summary [data-key=requests] b').innerText"));
  }

  private static final String NUMBER = "/^[0-9][0-9.,]*$/.test(%s)";

  private static String cell(String section, String row, String column) {
    return ConsoleFixture.row(section, row)
        + "?.querySelector('[data-title=%s]')?.innerText.trim()"
            .formatted(BrowserPage.quoted(column));
  }

  @Test
  void aSiteAndACacheHaveAPageWithAnAddress() throws Exception {
    it.create("stock", "SWMR");
    it.create("__proto__", "WEAK");
    it.put("stock", "k");

    it.page.open(it.served.service.address().resolve("/#site/lyon"));

    it.page.until(
        "it is lyon's", "document.querySelector('#detail-title').innerText === 'Site lyon'");
    it.page.until(
        "lyon serves", "document.querySelector('#detail-body')?.innerText.includes('serving')");
    it.page.until(
        "its replicas answer",
        "document.querySelector('#detail-body').innerText.includes('2 of 2')");
    assertThat(it.page.see("document.querySelector('#caches-body').checkVisibility()").asBoolean())
        .isFalse();
    it.page.see("document.querySelector('#detail a[href=\"#cache/stock\"]').click()");
    it.page.until(
        "it is the cache's",
        "document.querySelector('#detail-title').innerText === 'Cache stock' && document.activeElement.id === 'detail-title'");
    assertThat(it.page.text("#detail-body")).contains("SWMR", "Replicas", "Round trip ms");
    assertThat(it.page.see("document.querySelectorAll('#detail-body tbody tr').length").asInt())
        .isEqualTo(3);
    it.page.see("history.back()");
    it.page.until(
        "it is lyon's", "document.querySelector('#detail-title').innerText === 'Site lyon'");
    it.page.see("document.querySelector('#detail a[href=\"#sites\"]').click()");
    it.page.until("all are shown", "document.querySelector('#caches-body').checkVisibility()");
    it.page.see("location.hash = 'cache/nothing'");
    it.page.until(
        "it is unknown",
        "document.querySelector('#detail-body').innerText.includes('There is no cache of this name')");
    it.page.see("location.hash = 'cache/%'"); // Not an address of a page.
    it.page.until("all are shown", "document.querySelector('#caches-body').checkVisibility()");
  }

  @Test
  void theBannerNamesTheCauseOfTrouble() throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "k");
    it.served.json(
        "POST",
        "/caches",
        "{\"name\": \"single\", \"consistency\": \"MWMR\", \"sites\": [\"rome\"]}");
    it.put("single", "k");
    it.live();
    it.page.until(
        "the caches are there", "document.querySelectorAll('#caches-body tbody tr').length === 2");
    assertThat(it.page.see("document.querySelector('#trouble').hidden").asBoolean()).isTrue();

    it.served.sites.get("rome").mood = MemorySite.Mood.MUTE;

    it.page.until(
        "it is named",
        "document.querySelector('#trouble').innerText.includes('Site rome is unreachable: single"
            + " does not answer; stock can lose no further site.')");
    assertThat(it.page.see("document.querySelector('#trouble').dataset.severity").asText())
        .isEqualTo("critical");
    assertThat(it.page.see("document.querySelectorAll('#trouble li').length").asInt()).isEqualTo(1);
    assertThat(it.page.text("#events-body")).contains("critical", "site unreachable");
    it.page.see("document.querySelector('#trouble a').click()");
    it.page.until(
        "it leads there", "document.querySelector('#detail-title').innerText === 'Site rome'");
    it.served.sites.get("rome").mood = MemorySite.Mood.UP;
    it.page.until("it is over", "document.querySelector('#trouble').hidden");
  }

  @Test
  void aSiteIsDrainedServesAgainAndIsRecoveredAfterAConfirmation() throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "k");
    it.page.open(it.served.service.address().resolve("/#site/rome"));

    ask("recover", "Recover rome?", "confirm-yes");
    it.page.until("it is reported", EVENTS + ".includes('rome: 0 recovered, 1 intact')");
    it.served.json(
        "POST", "/caches", "{\"name\": \"one\", \"consistency\": \"WEAK\", \"sites\": [\"lyon\"]}");
    it.page.see("location.hash = 'site/lyon'");
    ask("drain", "Drain lyon?", "confirm-no");
    assertThat(new String(it.served.get("/sites/lyon").body())).contains("\"state\":\"serving\"");

    ask("drain", "Drain lyon?", "confirm-yes");

    // Stock is at all sites and cannot leave: the service says so.
    it.page.until("it is reported", EVENTS + ".includes('lyon is not drained: ')");
    it.served.call("DELETE", "/caches/stock", new byte[0]);
    ask("drain", "Drain lyon?", "confirm-yes");
    it.page.until("it is reported", EVENTS + ".includes('The drain of lyon has begun.')");
    ask("serve", "Let lyon serve again?", "confirm-yes");
    it.page.until("it is reported", EVENTS + ".includes('lyon accepts caches again.')");
    assertThat(new String(it.served.get("/sites/lyon").body())).contains("\"state\":\"serving\"");
  }

  private static final String EVENTS = "document.querySelector('#events-body').textContent";

  /** Presses a button of the page of a site, and answers the question. */
  private void ask(String action, String question, String answer) {
    String button = "document.querySelector('#detail [data-do=%s]')".formatted(action);
    it.page.until(action + " is offered", button + " !== null");
    it.page.see(button + ".click()");
    it.page.until("it is asked", "document.querySelector('#confirm').open");
    assertThat(it.page.text("#confirm-title")).isEqualTo(question);
    assertThat(it.page.see("document.activeElement.id").asText()).isEqualTo("confirm-no");
    it.page.see("document.querySelector('#%s').click()".formatted(answer));
    it.page.until("it is closed", "!document.querySelector('#confirm').open");
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
