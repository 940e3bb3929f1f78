package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.console.BrowserPage;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console shows the metrics of a federation in memory and of its service. */
@Timeout(120)
@Tag("nightly")
class ConsoleMetricsIT {

  private static final byte[] NONE = {};

  private ConsoleFixture it;

  @BeforeEach
  void watch() throws Exception {
    it = new ConsoleFixture();
  }

  @AfterEach
  void close() throws Exception {
    hold(CompletableFuture.completedFuture(null));
    it.close();
  }

  private void hold(CompletableFuture<?> until) {
    for (MemorySite site : it.served.sites.values()) {
      site.scansGoOn.complete(null);
      site.scansGoOn = until;
    }
  }

  /** A JavaScript expression for the text of a cell of a table; undefined if it is missing. */
  private static String cell(String section, String row, String column) {
    return ConsoleFixture.row(section, row)
        + "?.querySelector('[data-title=%s]')?.innerText.trim()"
            .formatted(BrowserPage.quoted(column));
  }

  private void untilCell(String section, String row, String column, String text) {
    it.page.until(
        "%s of %s is %s".formatted(column, row, text),
        cell(section, row, column) + " === " + BrowserPage.quoted(text));
  }

  /** The number that a cell begins with; how many of them are of the last minute may follow it. */
  private void untilCount(String section, String row, String column, String number) {
    it.page.until(
        "%s of %s begins with %s".formatted(column, row, number),
        cell(section, row, column) + "?.split(' ')[0] === " + BrowserPage.quoted(number));
  }

  private void untilSummary(String fact, String value) {
    it.page.until(
        "in short %s is %s".formatted(fact, value),
        "document.querySelector('#summary [data-key=%s] b')?.innerText === %s"
            .formatted(fact, BrowserPage.quoted(value)));
  }

  @Test
  void theLatencyIsThatOfThisServicesRequestsToEachSite() throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "k");
    it.live();
    for (String site : it.served.sites.keySet()) {
      it.page.until(
          "requests to " + site + " are told of",
          "/^\\d+\\.\\d$/.test(%s)".formatted(cell("latency-body", "", "to " + site)));
    }

    measure("lyon", 10);
    measure("oslo", 20);
    measure("rome", 40);

    untilCell("latency-body", "", "to lyon", "10.0");
    untilCell("latency-body", "", "to oslo", "20.0");
    untilCell("latency-body", "", "to rome", "40.0");
    assertThat(it.page.text("#latency-body tbody")).startsWith("this service");
    assertThat(it.page.see("document.querySelectorAll('#latency-body tbody tr').length").asInt())
        .isEqualTo(1);
    assertThat(
            it.page
                .see(
                    "[...document.querySelectorAll('#latency-body .heat')].map((one) =>"
                        + " one.className.split('heat').at(-1)).join()")
                .asText())
        .isEqualTo("1,2,4");
    untilCell("sites-body", "oslo", "Mean ms", "20.0");
    it.page.see("location.hash = 'site/rome'");
    it.page.until(
        "the longest is on its page",
        "document.querySelector('#detail-body').innerText.includes('40.0 ms')");
  }

  /** Records one more request to the site, which took {@code millis}. */
  private void measure(String site, long millis) {
    it.served
        .meters
        .get("ensemble.site.request")
        .tags("site", site, "outcome", "ok")
        .timers()
        .iterator()
        .next()
        .record(Duration.ofMillis(millis));
  }

  @Test
  void writesWhoseOutcomeIsUnknownAreCounted() throws Exception {
    createQuick("stock");
    createQuick("other");
    it.put("stock", "k");
    it.put("other", "k");
    it.live();
    untilCount("caches-body", "stock", "Unknown outcomes", "0");
    untilSummary("unknown", "0");

    for (String key : List.of("k", "l")) {
      it.served.sites.get("oslo").mood = MemorySite.Mood.MUTE_SOON;
      it.served.sites.get("rome").mood = MemorySite.Mood.MUTE_SOON;
      assertThat(it.served.call("PUT", "/caches/stock/entries/" + key, "w".getBytes()).statusCode())
          .isEqualTo(504);
      it.served.sites.values().forEach(site -> site.mood = MemorySite.Mood.UP);
    }

    untilCount("caches-body", "stock", "Unknown outcomes", "2");
    untilCell("caches-body", "other", "Unknown outcomes", "0");
    untilSummary("unknown", "2");
    assertThat(it.page.text("#events-body")).contains("unknown outcome");
  }

  private void createQuick(String name) throws Exception {
    assertThat(
            it.served
                .json(
                    "POST",
                    "/caches",
                    ("{\"name\": \"%s\", \"consistency\": \"MWMR\", \"replication\": 3,"
                            + " \"deadlineMillis\": 700}")
                        .formatted(name))
                .statusCode())
        .isEqualTo(201);
  }

  @Test
  void ofACacheThatThisServiceDoesNotUseTheUnknownOutcomesAreNotTold() throws Exception {
    assertThat(
            it.served
                .call(
                    it.served.another(),
                    "POST",
                    "/caches",
                    "{\"name\": \"theirs\", \"consistency\": \"MWMR\", \"replication\": 3}"
                        .getBytes(),
                    "Content-Type",
                    "application/json")
                .statusCode())
        .isEqualTo(201);

    it.live();

    untilCell("caches-body", "theirs", "Unknown outcomes", "–");
    untilSummary("unknown", "–");
    it.create("ours", "MWMR");
    it.put("ours", "k");
    untilCell("caches-body", "ours", "Unknown outcomes", "0");
    untilCell("caches-body", "theirs", "Unknown outcomes", "–");
    untilSummary("unknown", "0");
  }

  @Test
  void theLagIsTheNumberOfCopiesThatWait() throws Exception {
    it.create("sessions", "WEAK");
    it.put("sessions", "k");
    it.live();
    untilCell("caches-body", "sessions", "Lag", "0");

    it.served.sites.get("rome").mood = MemorySite.Mood.GONE;
    for (String key : List.of("a", "b", "c")) {
      it.put("sessions", key);
    }

    untilCell("caches-body", "sessions", "Lag", "3");
    it.page.until("rome's is drawn", lag("rome") + "?.includes('3 now')");
    assertThat(it.page.see(lag("rome")).asText()).contains("top 5");
    assertThat(it.page.see(lag("oslo")).asText()).contains("0 now");
    assertThat(
            it.page
                .see(
                    "document.querySelector('#lag-body [data-key=\"lag rome\"] .curve')"
                        + ".getAttribute('d').length")
                .asInt())
        .isPositive();
  }

  private static String lag(String site) {
    return "document.querySelector('#lag-body [data-key=\"lag %s\"]')?.innerText".formatted(site);
  }

  @Test
  void theStampsOfAKeyAreThoseThatTheSitesHold() throws Exception {
    it.create("stock", "MWMR");
    it.put("stock", "k");
    it.served.sites.get("rome").mood = MemorySite.Mood.GONE;
    it.put("stock", "k");
    it.served.sites.get("rome").mood = MemorySite.Mood.UP;
    JsonNode told = RestFixture.body(it.served.get("/caches/stock/explain/k")).get("sites");
    assertThat(new TreeSet<>(told.findValuesAsText("stamp"))).as(told.toString()).hasSize(2);
    it.live();
    it.page.until(
        "the cache is there", ConsoleFixture.row("caches-body", "stock") + " !== undefined");

    it.page.see(ConsoleFixture.row("caches-body", "stock") + ".querySelector('button').click()");
    it.page.type("k").press("Enter");

    for (JsonNode site : told) {
      String name = site.get("site").asText();
      untilCell("lookup-body", name, "Stamp", site.get("stamp").asText());
      untilCell("lookup-body", name, "Digest", site.get("digest").asText());
      untilCell("lookup-body", name, "Bytes", site.get("bytes").asText());
      untilCell("lookup-body", name, "Agreement", name.equals("rome") ? "older" : "latest");
    }
    assertThat(it.page.text("#lookup-body")).contains("Sites hold different writes");
  }

  @Test
  void aChangeIsCancellableUntilItSealsAndHasABarInCutover() throws Exception {
    it.served.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}");
    for (int i = 0; i < 30; i++) {
      it.put("c", "k" + i);
    }
    it.live();
    CompletableFuture<Void> held = new CompletableFuture<>();
    hold(held);
    it.served.json(
        "PATCH", "/caches/c", "{\"sites\": [\"lyon\", \"oslo\", \"rome\"], \"keysPerSecond\": 6}");

    it.page.until("it copies", step("copying") + " && " + OFFERED);
    held.complete(null);
    it.page.until("it seals, with no way back", step("sealing") + " && !" + OFFERED);
    it.page.until("it is in cutover, with no way back", step("cutover") + " && !" + OFFERED);
    it.page.until(
        "its bar is as long as its progress",
        """
        (({value, max, parentElement}) => value > 0 && max === 30
          && parentElement.innerText.trim() === `${value} of 30 keys, ${Math.floor(value * 10 / 3)} %`)
        (document.querySelector('#operations-body progress') ?? {})
        """);
    it.page.until(
        "it is over",
        "document.querySelector('#operations-body').innerText.includes('No migration')");
  }

  private static final String OFFERED =
      "document.querySelector('#operations-body [data-do=cancel]')";

  private static String step(String step) {
    return "document.querySelector('#operations-body [data-title=Step]')?.innerText === '%s'"
        .formatted(step);
  }

  @Test
  void aDrainIsCancellableAndTheConsequencesAreShown() throws Exception {
    it.served.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"sites\": [\"lyon\"]}");
    it.put("c", "k");
    it.live();
    hold(new CompletableFuture<>());

    it.served.call("POST", "/sites/lyon/drain", NONE);

    String drain = ConsoleFixture.row("operations-body", "drain.lyon");
    it.page.until("it shows", drain + "?.innerText.includes('1 cache left')");
    it.page.see(drain + ".querySelector('[data-do=cancel]').click()");
    assertThat(it.page.text("#confirm-text")).startsWith("lyon: the site serves again");
    it.page.see("document.querySelector('#confirm-yes').click()");
    it.page.until("it is gone", "!" + drain);
    it.page.until(
        "lyon serves", ConsoleFixture.row("sites-body", "lyon") + ".innerText.includes('serving')");
  }
}
