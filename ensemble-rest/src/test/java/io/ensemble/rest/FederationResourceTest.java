package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.ensemble.rest.access.AccessControl;
import io.ensemble.rest.events.EventBounds;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The federation's state and its changes, over sites in memory. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class FederationResourceTest {

  private static final byte[] NONE = {};
  private static final EventBounds QUICK =
      new EventBounds(
          4, 1 << 20, 100, Duration.ofMillis(20), Duration.ofMillis(200), Duration.ofSeconds(30));

  private final RestFixture restFixture = new RestFixture(RestFixture.limits(QUICK));

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void create(String name, String mode) throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"%s\", \"consistency\": \"%s\", \"replication\": 3}".formatted(name, mode));
  }

  @Test
  void theStateSaysHowManySitesEachCacheCanLose() throws Exception {
    create("weak", "WEAK");
    create("strong", "MWMR");
    restFixture.call("PUT", "/caches/strong/entries/k", "v".getBytes());
    restFixture.call("PUT", "/caches/weak/entries/k", "v".getBytes());

    JsonNode state = RestFixture.body(restFixture.get("/federation"));

    assertThat(state.get("sites").get("lyon").get("nodes")).hasSize(1);
    assertThat(state.get("caches").get("weak").get("canLose").asInt()).isEqualTo(2);
    assertThat(state.get("caches").get("strong").get("canLose").asInt()).isEqualTo(1);
    assertThat(state.get("caches").get("strong").get("served").asBoolean()).isTrue();
    assertThat(state.get("latency").get("oslo").get("requests").asInt()).isPositive();
    assertThat(state.get("lag").get("weak").get("rome").get("known").asBoolean()).isTrue();
    assertThat(state.get("unknown").get("strong").get("count").asInt()).isZero();
    assertThat(state.get("catalog").get("catalog").get("readable").asBoolean()).isTrue();
  }

  /** All sites are healthy; the node of one replica is dead. */
  @Test
  void aReplicaWhoseNodeIsDeadIsMissing() throws Exception {
    create("strong", "MWMR");
    JsonNode whole = RestFixture.body(restFixture.get("/caches/strong")).get("redundancy");
    assertThat(whole.get("asked").asInt()).isEqualTo(3);
    assertThat(whole.get("missing")).isEmpty();

    restFixture
        .sites
        .get("rome")
        .dead
        .add(restFixture.manager.stored("strong").orElseThrow().store("rome").orElseThrow());

    JsonNode cache =
        await("it is found")
            .pollInterval(100, TimeUnit.MILLISECONDS)
            .atMost(60, TimeUnit.SECONDS)
            .until(
                () -> RestFixture.body(restFixture.get("/federation")).get("caches").get("strong"),
                now -> now.get("sitesUp").asInt() == 2);
    assertThat(cache.get("canLose").asInt()).isZero();
    assertThat(cache.get("served").asBoolean()).isTrue();
    assertThat(cache.get("redundancy").get("missing").toString())
        .isEqualTo(
            "[{\"replica\":\"rome\",\"state\":\"node_unreachable\",\"reason\":\"its node does not"
                + " answer\"}]");
    JsonNode health = RestFixture.body(restFixture.get("/federation")).get("health").get("rome");
    assertThat(health.get("state").asText()).isEqualTo("reachable");
    assertThat(RestFixture.body(restFixture.get("/caches/strong")).get("redundancy"))
        .isEqualTo(cache.get("redundancy"));
    await("the gauges show it")
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(
            () ->
                assertThat(restFixture.meters.scrape())
                    .contains(
                        "ensemble_cache_replicas{cache=\"strong\",mode=\"MWMR\"} 3.0",
                        "ensemble_cache_replicas_whole{cache=\"strong\",mode=\"MWMR\"} 2.0",
                        "ensemble_cache_can_lose{cache=\"strong\",mode=\"MWMR\"} 0.0"));
  }

  /** Another process has created the cache, and uses it. */
  @Test
  void theLoadIsOfAllClients() throws Exception {
    URI other = restFixture.another();
    restFixture.call(
        other,
        "POST",
        "/caches",
        "{\"name\": \"theirs\", \"consistency\": \"MWMR\", \"replication\": 3}".getBytes(),
        "Content-Type",
        "application/json");
    restFixture.call(other, "PUT", "/caches/theirs/entries/k", "v".getBytes());

    JsonNode state =
        awaitState(
            now -> {
              restFixture.sites.get("lyon").reads.incrementAndGet(); // Of some other client.
              return now.at("/usage/theirs/at/lyon/requestsPerSecond").asDouble() > 0;
            },
            "the rate is known");

    assertThat(state.at("/load/lyon/replicas").asInt()).isEqualTo(1);
    assertThat(state.at("/load/lyon/answered").asInt()).isEqualTo(1);
    assertThat(state.at("/load/lyon/entries").asInt()).isPositive();
    assertThat(state.at("/load/lyon/requestsPerSecond").asDouble()).isPositive();
    assertThat(state.at("/load/lyon").has("p99Millis")).isTrue();
    assertThat(state.at("/usage/theirs/entries").asInt()).isPositive();
    assertThat(state.get("latency").has("lyon")).isFalse();
    restFixture.sites.get("rome").mood = MemorySite.Mood.GONE;
    state = awaitState(now -> now.at("/load/rome/answered").asInt(1) == 0, "rome is silent");
    assertThat(state.at("/load/rome").has("entries")).isFalse();
    assertThat(state.at("/usage/theirs/answered").asInt()).isEqualTo(2);
  }

  private JsonNode awaitState(Predicate<JsonNode> expected, String what) {
    return await(what)
        .pollInterval(200, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> RestFixture.body(restFixture.get("/federation")), expected);
  }

  @Test
  void theStateCountsWritesWhoseOutcomeIsUnknown() throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"quick\", \"consistency\": \"MWMR\", \"replication\": 3, \"deadlineMillis\": 3000}");
    create("other", "MWMR");
    restFixture.call("PUT", "/caches/other/entries/k", "v".getBytes());
    restFixture.call("PUT", "/caches/quick/entries/k", "v".getBytes());

    for (int i = 0; i < 2; i++) {
      restFixture.sites.get("oslo").mood = MemorySite.Mood.MUTE_SOON;
      restFixture.sites.get("rome").mood = MemorySite.Mood.MUTE_SOON;
      assertThat(restFixture.call("PUT", "/caches/quick/entries/k", "w".getBytes()).statusCode())
          .isEqualTo(504);
      restFixture.sites.values().forEach(site -> site.mood = MemorySite.Mood.UP);
    }

    JsonNode unknown = RestFixture.body(restFixture.get("/federation")).get("unknown");
    assertThat(unknown.get("quick").get("count").asInt()).isEqualTo(2);
    assertThat(unknown.get("other").get("count").asInt()).isZero();
  }

  @Test
  void whoAppliesWhatTheyAreToldHasTheState() throws Exception {
    try (EventStreamClient heard =
        EventStreamClient.from(restFixture.service.address(), "?kinds=sites,caches,operations")) {
      ObjectNode mine = (ObjectNode) heard.next().data();
      create("a", "WEAK");
      create("b", "MWMR");
      restFixture.call("POST", "/sites/rome/drain", NONE);
      restFixture.call("DELETE", "/caches/a", NONE);
      restFixture.call("POST", "/sites/rome/serve", NONE);
      restFixture.json("PATCH", "/caches/b", "{\"sites\": [\"lyon\"]}");
      create("last", "WEAK");

      EventStreamClient.Event event;
      do {
        event = heard.next();
        ObjectNode section = (ObjectNode) mine.get(event.name());
        String name = event.data().get("name").asText();
        if (event.data().get("change").asText().equals("removed")) {
          section.remove(name);
        } else {
          section.set(name, event.data().get("now"));
        }
      } while (!mine.get("caches").has("last")
          || !mine.get("operations").isEmpty()
          || mine.get("caches").get("b").has("operation"));

      JsonNode state = RestFixture.body(restFixture.get("/federation"));
      assertThat(mine.get("sites")).isEqualTo(state.get("sites"));
      assertThat(mine.get("caches").get("b").get("sites").toString()).isEqualTo("[\"lyon\"]");
      assertThat(mine.get("caches")).isEqualTo(state.get("caches"));
    }
  }

  @Test
  void theFirstEventIsTheStateAndAClientGoesOnWhereItWas() throws Exception {
    String position;
    try (EventStreamClient heard = EventStreamClient.from(restFixture.service.address(), "")) {
      assertThat(heard.next().name()).isEqualTo("state");
      create("a", "WEAK");
      heard.until(event -> event.is("caches", "a"));
      position = heard.position;
    }
    create("b", "WEAK");

    try (EventStreamClient again =
        EventStreamClient.from(restFixture.service.address(), "", "Last-Event-ID", position)) {
      EventStreamClient.Event first =
          again.until(event -> event.name().equals("caches") || !again(event));

      assertThat(first.is("caches", "b")).as(first.toString()).isTrue();
    }
  }

  /** Whether a client that resumes may receive the event. */
  private static boolean again(EventStreamClient.Event event) {
    return !event.name().equals("state") && !event.name().equals("reset");
  }

  @Test
  void aPositionThatIsNotKnownIsSaidToBeSoAndTheStateComesAnew() throws Exception {
    for (String position : new String[] {"other-1", "nonsense", "-"}) {
      try (EventStreamClient heard =
          EventStreamClient.from(restFixture.service.address(), "", "Last-Event-ID", position)) {
        assertThat(heard.next().name()).isEqualTo("reset");
        assertThat(heard.next().name()).isEqualTo("state");
      }
    }
  }

  @Test
  void aPositionThatIsNoMoreKeptIsNotKnown() throws Exception {
    String first = RestFixture.body(restFixture.get("/federation")).get("position").asText();
    for (int i = 0; i < 60; i++) {
      create("c", "WEAK");
      restFixture.get("/federation");
      restFixture.call("DELETE", "/caches/c", NONE);
      restFixture.get("/federation");
    }

    try (EventStreamClient heard =
        EventStreamClient.from(restFixture.service.address(), "", "Last-Event-ID", first)) {
      assertThat(heard.next().name()).isEqualTo("reset");
    }
  }

  @Test
  void onlyTheKindsThatAreWantedCome() throws Exception {
    try (EventStreamClient heard =
        EventStreamClient.from(restFixture.service.address(), "?kinds=caches")) {
      JsonNode state = heard.next().data();
      restFixture.call("POST", "/sites/rome/drain", NONE);
      restFixture.json("POST", "/caches", "{\"name\": \"a\"}");

      assertThat(state.has("sites")).isFalse();
      assertThat(heard.next().is("caches", "a")).isTrue();
    }
    assertThat(restFixture.get("/events?kinds=caches,nonsense").statusCode()).isEqualTo(422);
  }

  @Test
  void theBoundOnClientsIsKeptAndAPlaceIsFreeAgainWhenOneGoes() throws Exception {
    List<EventStreamClient> all = new ArrayList<>();
    for (int i = 0; i < QUICK.maxClients(); i++) {
      all.add(EventStreamClient.from(restFixture.service.address(), ""));
    }

    assertThat(restFixture.get("/events").statusCode()).isEqualTo(503);
    all.get(0).close();
    EventStreamClient three =
        await("a free place")
            .pollDelay(Duration.ZERO)
            .pollInterval(20, TimeUnit.MILLISECONDS)
            .atMost(60, TimeUnit.SECONDS)
            .until(
                () -> EventStreamClient.from(restFixture.service.address(), ""),
                heard -> heard.status() != 503);

    assertThat(three.next().name()).isEqualTo("state");
    all.add(three);
    for (EventStreamClient one : all) {
      one.close();
    }
  }

  @Test
  void aQuietClientHearsThatItIsConnectedAndHowOldIsWhatWasSeen() throws Exception {
    try (EventStreamClient heard =
        EventStreamClient.from(restFixture.service.address(), "?kinds=caches")) {
      Instant seenAt = Instant.parse(heard.next().data().get("seenAt").asText());

      EventStreamClient.Event beat = heard.any();

      long mostMillis = Duration.between(seenAt, Instant.now()).toMillis() + 1_000;
      assertThat(beat.name()).isEqualTo("beat");
      assertThat(beat.data().get("ageMillis").asLong()).isBetween(0L, mostMillis);
    }
  }

  @Test
  void whoListensLaterIsNotGivenWhatWasSeenLongAgo() throws Exception {
    Instant old;
    try (EventStreamClient first = EventStreamClient.from(restFixture.service.address(), "")) {
      old = Instant.parse(first.next().data().get("seenAt").asText());
    }
    await("the first state is old")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> Instant.now().isAfter(old.plusMillis(1_000)));
    Instant recently = Instant.now().minusMillis(400);

    try (EventStreamClient second = EventStreamClient.from(restFixture.service.address(), "")) {
      assertThat(Instant.parse(second.next().data().get("seenAt").asText())).isAfter(recently);
    }
  }

  @Test
  void whoListensIsToldThatTheServiceEnds() throws Exception {
    try (EventStreamClient heard = EventStreamClient.from(restFixture.service.address(), "")) {
      heard.next();
      restFixture.service.close();

      EventStreamClient.Event last = heard.until(event -> event.name().equals("end"));
      assertThat(last.data().get("reason").asText()).isEqualTo("closing");
      assertThat(heard.next().name()).isEmpty();
    }
  }

  @Test
  void aKeysStampIsToldOfEverySite() throws Exception {
    create("strong", "MWMR");
    restFixture.call("PUT", "/caches/strong/entries/k", "v".getBytes());

    JsonNode stamps = RestFixture.body(restFixture.get("/caches/strong/entries/k/stamps"));

    assertThat(stamps.get("sites")).hasSize(3);
    assertThat(stamps.get("sites").findValuesAsText("stamp")).isNotEmpty();
  }

  @Test
  void whoMayListenNoMoreIsToldSoAndOneCallerHasABoundedNumber(@TempDir Path directory)
      throws Exception {
    for (String name : List.of("one", "two")) {
      Files.writeString(directory.resolve(name), name.repeat(16));
    }
    String grants = "{\"grants\": [{\"who\": [%s], \"federation\": [\"listen\"]}]}";
    Path policy =
        Files.writeString(directory.resolve("p"), grants.formatted("\"token:one\", \"token:two\""));
    Path file =
        Files.writeString(
            directory.resolve("access.json"),
            "{\"policy\": \"p\", \"tokens\": [{\"name\": \"one\", \"file\": \"one\"},"
                + " {\"name\": \"two\", \"file\": \"two\"}]}");
    EventBounds one =
        new EventBounds(
            4,
            1 << 20,
            100,
            Duration.ofMillis(20),
            Duration.ofMillis(200),
            Duration.ofSeconds(30),
            1);
    String[] first = {"Authorization", "Bearer " + "one".repeat(16)};
    String[] second = {"Authorization", "Bearer " + "two".repeat(16)};
    try (AccessControl accessControl = AccessControl.of(file);
        RestFixture here =
            new RestFixture(RestFixture.limits(one), accessControl.requestAuthorizer());
        EventStreamClient heard =
            EventStreamClient.from(here.service.address(), "?kinds=caches", first);
        EventStreamClient other =
            EventStreamClient.from(here.service.address(), "?kinds=caches", second)) {
      assertThat(heard.next().name()).isEqualTo("state");
      assertThat(other.next().name()).isEqualTo("state");
      assertThat(here.get("/events", first).statusCode()).isEqualTo(429);

      Files.writeString(policy, grants.formatted("\"token:two\""));

      EventStreamClient.Event end = heard.until(event -> event.name().equals("end"));
      assertThat(end.data().get("reason").asText()).isEqualTo("unauthorized");
      assertThat(here.get("/events", first).statusCode()).isEqualTo(403);
      assertThat(here.get("/events", second).statusCode()).isEqualTo(429); // Its stream is open.
    }
  }
}
