package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Versions that clients choose: each is there once, with the value that was given first. */
final class Choices implements Work {

  private static final int MOST_OF_CLIENT = 150;
  private static final int MOST_SHOWN = 1_000;

  private final String path;
  private final AtomicInteger last = new AtomicInteger();
  private final Map<Integer, String> chosen = new ConcurrentSkipListMap<>();

  Choices(String cache) {
    this.path = "/caches/" + cache + "/versions/page";
  }

  private Asked addition(int version, String value) {
    return Asked.text("PUT", path + "/" + version + ".0", value);
  }

  @Override
  public void step(Asker asker, String client, int number) {
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    int version = last.incrementAndGet();
    String value = client + "-" + number;
    Told told = asker.known(addition(version, value));
    assertThat(told.status()).as("%s", told).isEqualTo(201);
    chosen.put(version, value);
    assertThat(asker.known(addition(version, value)).gist()).isEqualTo(told.gist());
    asker.tally().count("repeated");
    assertThat(asker.known(addition(version, "another")).status()).isEqualTo(409);
  }

  @Override
  public Collection<?> records() {
    return chosen.entrySet();
  }

  @Override
  public void judge(Asker late) {
    Told told = late.known(Asked.bare("GET", path + "/history?limit=" + MOST_SHOWN));
    assertThat(told.status()).as("%s", told).isEqualTo(200);
    JsonNode versions = told.json().get("versions");
    assertThat(versions).as("%s", told).hasSize(chosen.size());
    chosen.forEach(
        (version, value) -> {
          Told one = late.known(Asked.bare("GET", path + "/" + version + ".0"));
          assertThat(one.body()).as("%d", version).isEqualTo(value);
        });
  }
}
