package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Creates caches named by keys, sites and counters, and deletes some again. A deletion begins after
 * all attempts of the creation have ended, as one under way would create the resource again.
 */
final class CacheCreationWorkload implements RetryWorkload {

  private static final int MOST_OF_CLIENT = 40;

  private final String cache;
  private final Set<String> before;
  private final Map<String, RepeatableRequest> made = new ConcurrentHashMap<>();
  private final Set<String> deleted = ConcurrentHashMap.newKeySet();

  /** Notes the caches that other trials have left. */
  CacheCreationWorkload(String cache, RetryingClient first) {
    this.cache = cache;
    this.before = there(first);
  }

  @Override
  public void step(RetryingClient retryingClient, String client, int number) {
    String name = client + "-" + number;
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    switch (number % 4) {
      case 0 -> cacheThatStays(retryingClient, name);
      case 1 -> siteThatGoes(retryingClient, name);
      case 2 -> cacheThatGoes(retryingClient, name);
      default -> counterThatGoes(retryingClient, name);
    }
  }

  /** The service chooses the sites; two services that choose at the same time create one cache. */
  private static RepeatableRequest creation(String key) {
    return RepeatableRequest.json(
            "POST", "/caches", "{\"consistency\": \"MWMR\", \"replication\": 2}")
        .named(key);
  }

  private void cacheThatStays(RetryingClient retryingClient, String key) {
    RepeatableRequest asked = creation(key);
    RecordedResponse told = retryingClient.known(asked);
    assertThat(told.status()).as("%s", told).isEqualTo(201);
    assertThat(made.put(told.json().get("name").asText(), asked)).isNull();
    assertThat(retryingClient.known(asked).gist()).isEqualTo(told.gist());
    retryingClient.tally().count("repeated");
    RepeatableRequest another =
        RepeatableRequest.json("POST", "/caches", "{\"consistency\": \"WEAK\", \"replication\": 2}")
            .named(key);
    assertThat(retryingClient.known(another).problem()).isEqualTo("idempotency-key-reused");
  }

  private void cacheThatGoes(RetryingClient retryingClient, String key) {
    RecordedResponse told = retryingClient.answersToAll(creation(key)).get(0);
    assertThat(told.status()).as("%s", told).isEqualTo(201);
    String name = told.json().get("name").asText();
    gone(retryingClient, "/caches/" + name);
    deleted.add(name);
  }

  private static void siteThatGoes(RetryingClient retryingClient, String name) {
    RepeatableRequest asked =
        RepeatableRequest.json(
                "POST",
                "/sites",
                "{\"name\": \"%s\", \"endpoints\": [\"127.0.0.1:1\"]}".formatted(name))
            .named(name);
    RecordedResponse told = retryingClient.answersToAll(asked).get(0);
    assertThat(told.status()).as("%s", told).isIn(200, 201);
    RecordedResponse again = retryingClient.answersToAll(asked).get(0);
    assertThat(again.status()).as("%s", again).isEqualTo(200);
    for (String field : new String[] {"name", "endpoints", "state", "caches"}) {
      assertThat(again.json().get(field)).as("%s", again).isEqualTo(told.json().get(field));
    }
    gone(retryingClient, "/sites/" + name);
  }

  private void counterThatGoes(RetryingClient retryingClient, String name) {
    String path = "/caches/" + cache + "/counters/" + name;
    RepeatableRequest asked =
        RepeatableRequest.json("POST", path + "/add", "{\"delta\": 5}").named(name);
    RecordedResponse told = retryingClient.answersToAll(asked).get(0);
    assertThat(told.json().path("value").asLong()).as("%s", told).isEqualTo(5);
    gone(retryingClient, path);
  }

  /** Deletes a resource; the first attempt or a later one must find it gone. */
  private static void gone(RetryingClient retryingClient, String path) {
    for (RecordedResponse told : retryingClient.answers(RepeatableRequest.bare("DELETE", path))) {
      assertThat(told.status()).as("%s %s", path, told).isIn(204, 404);
    }
    assertThat(retryingClient.known(RepeatableRequest.bare("GET", path)).status())
        .as("%s after\n%s", path, retryingClient.attempts())
        .isEqualTo(404);
    assertThat(retryingClient.known(RepeatableRequest.bare("DELETE", path)).status())
        .as("%s after\n%s", path, retryingClient.attempts())
        .isEqualTo(404);
    retryingClient.tally().count("deleted");
  }

  @Override
  public Collection<?> records() {
    return Stream.concat(made.entrySet().stream(), deleted.stream().map(name -> "deleted " + name))
        .toList();
  }

  @Override
  public void judge(RetryingClient late) {
    assertThat(made).isNotEmpty();
    assertThere(late);
    made.forEach(
        (name, asked) -> {
          RecordedResponse told = late.known(asked);
          assertThat(told.status()).as("%s", told).isEqualTo(201);
          assertThat(told.json().get("name").asText()).isEqualTo(name);
          String entry = "/caches/" + name + "/entries/k";
          assertThat(late.known(RepeatableRequest.text("PUT", entry, "v")).status()).isEqualTo(204);
          assertThat(late.known(RepeatableRequest.bare("GET", entry)).body()).isEqualTo("v");
        });
    assertThere(late);
  }

  private void assertThere(RetryingClient late) {
    Set<String> there = there(late);
    there.removeAll(before);
    assertThat(there).containsExactlyInAnyOrderElementsOf(made.keySet());
    assertThat(there).doesNotContainAnyElementsOf(deleted);
  }

  /** The caches that are named by keys. */
  private static Set<String> there(RetryingClient retryingClient) {
    Set<String> there = new TreeSet<>();
    for (RecordedResponse told :
        retryingClient.answersToAll(RepeatableRequest.bare("GET", "/caches"))) {
      for (JsonNode one : told.json().get("caches")) {
        there.add(one.get("name").asText());
      }
    }
    there.removeIf(name -> !name.startsWith("cache-"));
    return there;
  }
}
