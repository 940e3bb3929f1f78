package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.rest.EventStreamClient.Event;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The changes of a cache, as server-sent events. */
@Timeout(120)
class ChangesResourceTest {

  private static final List<String> SITES = List.of("lyon", "oslo", "rome");
  private static RestFixture restFixture;

  @BeforeAll
  static void start() {
    restFixture = new RestFixture();
    for (String name : List.of("orders", "resumed", "prefixes", "other", "doomed")) {
      create(name, Mode.MWMR);
    }
    create("news", Mode.WEAK);
    create("ledger", Mode.SWMR);
    restFixture.manager.createCache(
        CacheDefinition.of("siblings", Mode.WEAK)
            .sites(SITES.toArray(String[]::new))
            .siblings(4)
            .build());
  }

  private static void create(String name, Mode mode) {
    restFixture.manager.createCache(
        CacheDefinition.of(name, mode).sites(SITES.toArray(String[]::new)).build());
  }

  @AfterAll
  static void stop() throws Exception {
    restFixture.close();
  }

  private static EventStreamClient listen(String cache, String query, String... headers)
      throws Exception {
    EventStreamClient client =
        EventStreamClient.at(
            restFixture.service.address(), "/caches/" + cache + "/events" + query, headers);
    assertThat(client.status()).isEqualTo(200);
    assertThat(client.next().name()).isEqualTo("ready");
    return client;
  }

  private static String put(String path, String value) throws Exception {
    HttpResponse<byte[]> written =
        restFixture.call("PUT", path, value.getBytes(), "Content-Type", "text/plain;charset=utf-8");
    return written.headers().firstValue("Ensemble-Stamp").orElseThrow();
  }

  @Test
  void changesHaveValuesAndTheStampsThatTheirWritersReceived() throws Exception {
    try (EventStreamClient client = listen("orders", "")) {
      String stamp = put("/caches/orders/entries/17", "two lamps");

      Event created = client.next();
      assertThat(created.name()).isEqualTo("created");
      assertThat(created.data().get("key").asText()).isEqualTo("17");
      assertThat(created.data().get("value").asText()).isEqualTo("two lamps");
      assertThat(created.data().get("stamp").asText()).isEqualTo(stamp);
      assertThat(created.data().get("configuration").asLong()).isPositive();

      restFixture.call("DELETE", "/caches/orders/entries/17", new byte[0]);

      JsonNode removed = client.until(event -> event.name().equals("removed")).data();
      assertThat(removed.get("key").asText()).isEqualTo("17");
      assertThat(removed.has("value")).isFalse();
    }
  }

  @Test
  void aClientResumesAtTheLastPositionAtAnyService() throws Exception {
    String position;
    try (EventStreamClient client = listen("resumed", "?key=k")) {
      put("/caches/resumed/entries/other", "not shown");
      put("/caches/resumed/entries/k", "v1");
      assertThat(client.next().data().get("value").asText()).isEqualTo("v1");
      put("/caches/resumed/entries/k", "v2");
      Event second = client.next();
      assertThat(second.data().get("value").asText()).isEqualTo("v2");
      position = second.id();
    }
    put("/caches/resumed/entries/k", "v3");
    try (EventStreamClient client =
        EventStreamClient.at(
            restFixture.another(), "/caches/resumed/events?key=k", "Last-Event-ID", position)) {
      assertThat(client.next().name()).isEqualTo("ready");
      Event last = client.until(event -> event.data().path("value").asText().equals("v3"));
      assertThat(last.name()).isEqualTo("modified");
      Event gap = client.next();
      assertThat(gap.name()).isEqualTo("gap");
      assertThat(gap.data().get("reason").asText()).isEqualTo("resumed");
    }
  }

  @Test
  void aStreamOfAPrefixShowsNoOtherKeys() throws Exception {
    try (EventStreamClient client = listen("prefixes", "?prefix=lamp/&values=false")) {
      put("/caches/prefixes/entries/lam", "other");
      String stamp = put("/caches/prefixes/entries/lamp%2F1", "two lamps");

      Event created = client.next();
      assertThat(created.name()).isEqualTo("created");
      assertThat(created.data().get("key").asText()).isEqualTo("lamp/1");
      assertThat(created.data().get("stamp").asText()).isEqualTo(stamp);
      assertThat(created.data().has("value")).isFalse();
      restFixture.call("DELETE", "/caches/prefixes/entries/lamp%2F1", new byte[0]);
      assertThat(client.next().name()).isEqualTo("removed");
    }
    assertInvalid("?prefix=", "prefix");
    assertInvalid("?prefix=a&key=ab", "prefix");
    assertInvalid("?values=no", "values");
  }

  private static void assertInvalid(String query, String field) throws Exception {
    HttpResponse<byte[]> refused = restFixture.get("/caches/prefixes/events" + query);
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(refused).get("field").asText()).isEqualTo(field);
  }

  @Test
  void everyModeHasEvents() throws Exception {
    for (String cache : List.of("news", "ledger")) {
      try (EventStreamClient client = listen(cache, "")) {
        String stamp = put("/caches/" + cache + "/entries/17", "two lamps");

        Event change = client.until(event -> event.data().has("value"));
        assertThat(change.data().get("value").asText()).isEqualTo("two lamps");
        assertThat(change.data().get("stamp").asText()).isEqualTo(stamp);
      }
    }
  }

  @Test
  void siblingsAndPositionsOfNoStreamAreRefused() throws Exception {
    HttpResponse<byte[]> refused = restFixture.get("/caches/siblings/events");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(refused).get("detail").asText())
        .startsWith("a cache with siblings cannot be listened to")
        .contains("cache=siblings");
    assertThat(restFixture.get("/caches/none/events").statusCode()).isEqualTo(404);
    HttpResponse<byte[]> malformed =
        restFixture.get("/caches/other/events", "Last-Event-ID", "nonsense");
    assertThat(malformed.statusCode()).isEqualTo(422);
    assertThat(RestFixture.body(malformed).get("field").asText()).isEqualTo("Last-Event-ID");
    assertThat(restFixture.get("/caches/other/events?key=").statusCode()).isEqualTo(422);
  }

  @Test
  void aDeletedCacheEndsItsStreams() throws Exception {
    try (EventStreamClient client = listen("doomed", "")) {
      restFixture.call("DELETE", "/caches/doomed", new byte[0]);

      Event end = client.until(event -> event.name().equals("end"));
      assertThat(end.data().get("reason").asText()).isEqualTo("deleted");
    }
  }

  /** At a service of its own: a place is free when the service notices that the client is gone. */
  @Test
  void oneCallerHasABoundedNumberOfStreams() throws Exception {
    List<EventStreamClient> clients = new ArrayList<>();
    try (RestFixture own = new RestFixture()) {
      own.manager.createCache(CacheDefinition.of("full", Mode.MWMR).sites("lyon", "oslo").build());
      for (int i = 0; i < 8; i++) {
        EventStreamClient client =
            EventStreamClient.at(own.service.address(), "/caches/full/events?key=k");
        clients.add(client);
        assertThat(client.next().name()).isEqualTo("ready");
      }

      HttpResponse<byte[]> refused = own.get("/caches/full/events?key=k");

      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(RestFixture.body(refused).get("most").asInt()).isEqualTo(8);
      own.service.close();
      for (EventStreamClient client : clients) {
        Event end = client.until(event -> event.name().equals("end"));
        assertThat(end.data().get("reason").asText()).isEqualTo("closing");
      }
    } finally {
      for (EventStreamClient client : clients) {
        client.close();
      }
    }
  }
}
