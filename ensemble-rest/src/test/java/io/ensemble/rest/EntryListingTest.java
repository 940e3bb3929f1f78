package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listings of the entries of large caches: their cost, and that they stop no other request. */
@Timeout(180)
class EntryListingTest {

  private static final int ENTRIES = 5_000;

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void create(String name, String sites) throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"%s\", \"sites\": %s, \"deadlineMillis\": 60000}".formatted(name, sites));
  }

  private void fill(String name) {
    Map<Object, Object> entries = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      entries.put("key-%04d".formatted(i), "value");
    }
    restFixture.manager.getCache(name).putAll(entries);
  }

  private List<String> list(String path) throws Exception {
    List<String> keys = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode listing = RestFixture.body(restFixture.get(path + cursor));
      listing.get("entries").forEach(entry -> keys.add(entry.get("key").asText()));
      cursor = listing.has("cursor") ? "&cursor=" + listing.get("cursor").asText() : "";
    } while (!cursor.isEmpty());
    return keys;
  }

  @Test
  void aListingOfAllEntriesReadsEachEntryOnce() throws Exception {
    create("c", "[\"lyon\"]");
    fill("c");

    List<String> keys = list("/caches/c/entries?values=false");

    assertThat(keys).hasSize(ENTRIES).doesNotHaveDuplicates();
    assertThat(restFixture.sites.get("lyon").scanned).hasValue(ENTRIES);
  }

  @Test
  void aListingEndsAtItsLimit() throws Exception {
    create("c", "[\"lyon\"]");
    fill("c");

    JsonNode part = RestFixture.body(restFixture.get("/caches/c/entries?limit=100"));
    JsonNode whole = RestFixture.body(restFixture.get("/caches/c/entries?limit=5000"));
    List<String> prefixed = list("/caches/c/entries?prefix=key-00");

    assertThat(part.get("entries")).hasSize(100);
    assertThat(part.get("more").asBoolean()).isTrue();
    assertThat(whole.get("entries")).hasSize(ENTRIES);
    assertThat(whole.has("more")).isFalse();
    assertThat(prefixed).hasSize(100);
    assertThat(restFixture.sites.get("lyon").scanned.get()).isLessThan(3L * ENTRIES);
  }

  @Test
  void listingsThatWaitForASiteStopNoOtherRequest() throws Exception {
    create("c", "[\"lyon\"]");
    create("d", "[\"oslo\"]");
    MemorySite lyon = restFixture.sites.get("lyon");
    CompletableFuture<Void> go = new CompletableFuture<>();
    lyon.scansGoOn = go;
    List<CompletableFuture<HttpResponse<byte[]>>> listings = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      listings.add(
          restFixture.later(restFixture.service.address(), "GET", "/caches/c/entries?limit=10"));
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> lyon.scans.get() >= 4);

    HttpResponse<byte[]> caches = restFixture.get("/caches");
    create("e", "[\"oslo\"]");
    HttpResponse<byte[]> written = restFixture.call("PUT", "/caches/e/entries/k", "v".getBytes());
    HttpResponse<byte[]> opened = restFixture.get("/caches/d/entries/k");
    boolean areWaiting = listings.stream().anyMatch(listing -> !listing.isDone());
    go.complete(null);

    assertThat(caches.statusCode()).isEqualTo(200);
    assertThat(written.statusCode()).isBetween(201, 204);
    assertThat(opened.statusCode()).isEqualTo(404);
    assertThat(areWaiting).isTrue();
    for (CompletableFuture<HttpResponse<byte[]>> listing : listings) {
      assertThat(listing.join().statusCode()).isIn(200, 429, 503);
    }
    assertThat(list("/caches/c/entries")).isEmpty();
  }

  @Test
  void aListingThatFailsOnItsWayIsNoCompleteDocument() throws Exception {
    create("c", "[\"lyon\"]");
    fill("c");
    restFixture.sites.get("lyon").failScansAfter = ENTRIES / 2;

    assertThatThrownBy(() -> restFixture.get("/caches/c/entries")).isInstanceOf(IOException.class);
  }

  /** Otherwise a few of them would exhaust the number of listings of a caller. */
  @Test
  void aHeadOfAListingLeavesNothingOpen() throws Exception {
    create("c", "[\"lyon\"]");
    for (int i = 0; i < 20; i++) {
      assertThat(restFixture.call("HEAD", "/caches/c/entries", new byte[0]).statusCode())
          .isEqualTo(200);
    }

    assertThat(restFixture.get("/caches/c/entries").statusCode()).isEqualTo(200);
  }
}
