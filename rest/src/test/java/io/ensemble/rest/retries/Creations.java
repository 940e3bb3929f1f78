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
 * Caches whose names come of keys, sites and counters, of which some are deleted again. What is
 * deleted was created by tries that are over: one that is still under way would make it anew, as
 * the one who sent it wished.
 */
final class Creations implements Work {

  private static final int MOST_OF_CLIENT = 40;

  private final String cache;
  private final Set<String> before;
  private final Map<String, Asked> made = new ConcurrentHashMap<>();
  private final Set<String> deleted = ConcurrentHashMap.newKeySet();

  /** With what other trials have left. */
  Creations(String cache, Asker first) {
    this.cache = cache;
    this.before = there(first);
  }

  @Override
  public void step(Asker asker, String client, int number) {
    String name = client + "-" + number;
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    switch (number % 4) {
      case 0 -> cacheThatStays(asker, name);
      case 1 -> siteThatGoes(asker, name);
      case 2 -> cacheThatGoes(asker, name);
      default -> counterThatGoes(asker, name);
    }
  }

  /** Where it is to be is for the service to choose: two that choose at once make one. */
  private static Asked creation(String key) {
    return Asked.json("POST", "/caches", "{\"consistency\": \"MWMR\", \"replication\": 2}")
        .named(key);
  }

  private void cacheThatStays(Asker asker, String key) {
    Asked asked = creation(key);
    Told told = asker.known(asked);
    assertThat(told.status()).as("%s", told).isEqualTo(201);
    assertThat(made.put(told.json().get("name").asText(), asked)).isNull();
    assertThat(asker.known(asked).gist()).isEqualTo(told.gist());
    asker.tally().count("repeated");
    Asked another =
        Asked.json("POST", "/caches", "{\"consistency\": \"WEAK\", \"replication\": 2}").named(key);
    assertThat(asker.known(another).problem()).isEqualTo("idempotency-key-reused");
  }

  private void cacheThatGoes(Asker asker, String key) {
    Told told = asker.answersToAll(creation(key)).get(0);
    assertThat(told.status()).as("%s", told).isEqualTo(201);
    String name = told.json().get("name").asText();
    gone(asker, "/caches/" + name);
    deleted.add(name);
  }

  private static void siteThatGoes(Asker asker, String name) {
    Asked asked =
        Asked.json(
                "POST",
                "/sites",
                "{\"name\": \"%s\", \"endpoints\": [\"127.0.0.1:1\"]}".formatted(name))
            .named(name);
    Told told = asker.answersToAll(asked).get(0);
    assertThat(told.status()).as("%s", told).isIn(200, 201);
    Told again = asker.answersToAll(asked).get(0);
    assertThat(again.status()).as("%s", again).isEqualTo(200);
    for (String field : new String[] {"name", "endpoints", "state", "caches"}) {
      assertThat(again.json().get(field)).as("%s", again).isEqualTo(told.json().get(field));
    }
    gone(asker, "/sites/" + name);
  }

  private void counterThatGoes(Asker asker, String name) {
    String path = "/caches/" + cache + "/counters/" + name;
    Asked asked = Asked.json("POST", path + "/add", "{\"delta\": 5}").named(name);
    Told told = asker.answersToAll(asked).get(0);
    assertThat(told.json().path("value").asLong()).as("%s", told).isEqualTo(5);
    gone(asker, path);
  }

  /** Until it is told to be gone, by the try that did it or by one after that. */
  private static void gone(Asker asker, String path) {
    for (Told told : asker.answers(Asked.bare("DELETE", path))) {
      assertThat(told.status()).as("%s %s", path, told).isIn(204, 404);
    }
    assertThat(asker.known(Asked.bare("GET", path)).status()).as(path).isEqualTo(404);
    assertThat(asker.known(Asked.bare("DELETE", path)).status()).as(path).isEqualTo(404);
    asker.tally().count("deleted");
  }

  @Override
  public Collection<?> records() {
    return Stream.concat(made.entrySet().stream(), deleted.stream().map(name -> "deleted " + name))
        .toList();
  }

  @Override
  public void judge(Asker late) {
    assertThat(made).isNotEmpty();
    assertThere(late);
    made.forEach(
        (name, asked) -> {
          Told told = late.known(asked);
          assertThat(told.status()).as("%s", told).isEqualTo(201);
          assertThat(told.json().get("name").asText()).isEqualTo(name);
          String entry = "/caches/" + name + "/entries/k";
          assertThat(late.known(Asked.text("PUT", entry, "v")).status()).isEqualTo(204);
          assertThat(late.known(Asked.bare("GET", entry)).body()).isEqualTo("v");
        });
    assertThere(late);
  }

  private void assertThere(Asker late) {
    Set<String> there = there(late);
    there.removeAll(before);
    assertThat(there).containsExactlyInAnyOrderElementsOf(made.keySet());
    assertThat(there).doesNotContainAnyElementsOf(deleted);
  }

  /** Those that are named by keys. */
  private static Set<String> there(Asker asker) {
    Set<String> there = new TreeSet<>();
    for (Told told : asker.answersToAll(Asked.bare("GET", "/caches"))) {
      for (JsonNode one : told.json().get("caches")) {
        there.add(one.get("name").asText());
      }
    }
    there.removeIf(name -> !name.startsWith("cache-"));
    return there;
  }
}
