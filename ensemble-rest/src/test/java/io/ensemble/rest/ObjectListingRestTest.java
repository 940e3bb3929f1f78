package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Listings of the atomic objects of a cache. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class ObjectListingRestTest {

  private static final String OBJECTS = "/caches/c/objects";

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void create() throws Exception {
    create("c", "MWMR");
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void create(String cache, String mode) throws Exception {
    HttpResponse<byte[]> created =
        restFixture.json(
            "POST",
            "/caches",
            "{\"name\": \"%s\", \"consistency\": \"%s\", \"sites\": [\"lyon\"]}"
                .formatted(cache, mode));
    assertThat(created.statusCode()).as(new String(created.body())).isEqualTo(201);
  }

  private void addCounter(String name) throws Exception {
    assertThat(restFixture.json("POST", "/caches/c/counters/" + name + "/add", "{}").statusCode())
        .isEqualTo(200);
  }

  private JsonNode list(String query) throws Exception {
    HttpResponse<byte[]> answer = restFixture.get(OBJECTS + query);
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
    return RestFixture.body(answer);
  }

  private static List<String> names(JsonNode listing) {
    List<String> names = new ArrayList<>();
    listing.get("objects").forEach(object -> names.add(object.get("name").asText()));
    return names;
  }

  @Test
  void objectsAreListedWithTheirTypes() throws Exception {
    addCounter("n");
    addCounter("gone");
    restFixture.json("POST", "/caches/c/locks/l/acquire", "{\"holder\": \"a\"}");
    restFixture.call("DELETE", "/caches/c/counters/gone", new byte[0]);
    restFixture.call("PUT", "/caches/c/entries/k", "v".getBytes());
    restFixture.manager.<Object, Object>getCache("c").put(17, "a key that is no text");

    JsonNode listing = list("");

    assertThat(names(listing)).containsExactlyInAnyOrder("n", "l");
    assertThat(listing.get("objects").findValuesAsText("type"))
        .hasSize(2)
        .doesNotHaveDuplicates()
        .allMatch(type -> type.startsWith("ensemble"));
    assertThat(listing.has("more")).isFalse();
    assertThat(names(list("?prefix=l"))).containsExactly("l");
  }

  @Test
  void aListingEndsAtItsLimitAndSpansSeveralParts() throws Exception {
    for (int i = 0; i < 100; i++) {
      addCounter("n" + i);
    }

    JsonNode part = list("?limit=70");

    assertThat(part.get("objects")).hasSize(70);
    assertThat(part.get("more").asBoolean()).isTrue();
    assertThat(names(list("?limit=100")))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 100).mapToObj(i -> "n" + i).toList());
    assertThat(restFixture.get(OBJECTS + "?limit=0").statusCode()).isEqualTo(422);
  }

  @Test
  void aCacheThatCannotHaveObjectsIsRefused() throws Exception {
    create("w", "WEAK");

    assertThat(restFixture.get("/caches/w/objects").statusCode()).isEqualTo(409);
    assertThat(restFixture.get("/caches/none/objects").statusCode()).isEqualTo(404);
  }

  /** Otherwise a few of them would exhaust the number of listings of a caller. */
  @Test
  void listingsThatFailOrAreNotReadLeaveNothingOpen() throws Exception {
    addCounter("n");
    for (int i = 0; i < 20; i++) {
      assertThat(restFixture.call("HEAD", OBJECTS, new byte[0]).statusCode()).isEqualTo(200);
    }
    MemorySite lyon = restFixture.sites.get("lyon");
    lyon.mood = MemorySite.Mood.GONE;
    for (int i = 0; i < 20; i++) {
      assertThat(restFixture.get(OBJECTS).statusCode()).isEqualTo(503);
    }
    lyon.mood = MemorySite.Mood.UP;

    assertThat(names(list(""))).containsExactly("n");
  }
}
