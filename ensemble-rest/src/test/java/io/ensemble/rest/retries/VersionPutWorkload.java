package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Versions that clients choose: each exists once, with the first value that was written. */
final class VersionPutWorkload implements RetryWorkload {

  private static final int MOST_OF_CLIENT = 150;
  private static final int MOST_SHOWN = 1_000;

  private final String path;
  private final AtomicInteger last = new AtomicInteger();
  private final Map<Integer, String> chosen = new ConcurrentSkipListMap<>();

  VersionPutWorkload(String cache) {
    this.path = "/caches/" + cache + "/versions/page";
  }

  private RepeatableRequest addition(int version, String value) {
    return RepeatableRequest.text("PUT", path + "/" + version + ".0", value);
  }

  @Override
  public void step(RetryingClient retryingClient, String client, int number) {
    if (number >= MOST_OF_CLIENT) {
      return;
    }
    int version = last.incrementAndGet();
    String value = client + "-" + number;
    RecordedResponse told = retryingClient.known(addition(version, value));
    assertThat(told.status()).as("%s", told).isEqualTo(201);
    chosen.put(version, value);
    assertThat(retryingClient.known(addition(version, value)).gist()).isEqualTo(told.gist());
    retryingClient.tally().count("repeated");
    assertThat(retryingClient.known(addition(version, "another")).status()).isEqualTo(409);
  }

  @Override
  public Collection<?> records() {
    return chosen.entrySet();
  }

  @Override
  public void judge(RetryingClient late) {
    RecordedResponse told =
        late.known(RepeatableRequest.bare("GET", path + "/history?limit=" + MOST_SHOWN));
    assertThat(told.status()).as("%s", told).isEqualTo(200);
    JsonNode versions = told.json().get("versions");
    assertThat(versions).as("%s", told).hasSize(chosen.size());
    chosen.forEach(
        (version, value) -> {
          RecordedResponse one =
              late.known(RepeatableRequest.bare("GET", path + "/" + version + ".0"));
          assertThat(one.body()).as("%d", version).isEqualTo(value);
        });
  }
}
