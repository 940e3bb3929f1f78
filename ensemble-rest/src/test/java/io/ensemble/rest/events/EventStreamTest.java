package io.ensemble.rest.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.StreamingBody;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that reconnects receives all missed events, or a notice that they are not known. */
class EventStreamTest {

  private static final int KEPT = 3;
  private static final Duration NEVER = Duration.ofHours(1);

  private volatile FederationSnapshot next = new FederationSnapshot(Map.of());
  private final EventStream eventStream =
      new EventStream(() -> next, new EventBounds(8, 1 << 20, KEPT, NEVER, NEVER, NEVER, 2));

  @AfterEach
  void close() {
    eventStream.close();
  }

  /** Each snapshot differs from the last one, so that each gives an event. */
  private String looked(int times) {
    String position = "";
    for (int i = 0; i < times; i++) {
      SnapshotSection section = i % 2 == 0 ? SnapshotSection.CACHES : SnapshotSection.SITES;
      next =
          new FederationSnapshot(
              Map.of(section, Map.of("thing", Map.of("seen", System.nanoTime()))));
      position = String.valueOf(eventStream.takeSnapshot().get("position"));
    }
    return position;
  }

  private static final class Client implements StreamingBody.Way {
    private final StringBuilder heard = new StringBuilder();

    @Override
    public CompletionStage<Void> send(byte[] bytes) {
      heard.append(new String(bytes, StandardCharsets.UTF_8));
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void end() {
      heard.append("over");
    }

    @Override
    public void cut() {}

    long count(String what) {
      return heard.toString().lines().filter(what::equals).count();
    }
  }

  private Client listens(String who, Set<SnapshotSection> wanted, String last) {
    Client client = new Client();
    StreamSubscriber name =
        new StreamSubscriber(who, () -> CompletableFuture.completedFuture(true));
    eventStream.listen(name, wanted, Optional.of(last)).begin(client);
    return client;
  }

  private static String at(String position, long number) {
    return position.substring(0, position.lastIndexOf('-') + 1) + number;
  }

  @Test
  void whatIsKeptIsToldAndNothingIsLostInSilence() {
    String position = looked(5);
    long number = Long.parseLong(position.substring(position.lastIndexOf('-') + 1));
    Set<SnapshotSection> all = EnumSet.allOf(SnapshotSection.class);

    for (int missed = 0; missed <= KEPT; missed++) {
      Client client = listens("a" + missed, all, at(position, number - missed));
      assertThat(client.count("event: caches") + client.count("event: sites"))
          .as("missed %d: %s", missed, client.heard)
          .isEqualTo(missed);
      assertThat(client.count("event: reset")).isZero();
    }
    for (long unknown : new long[] {number - KEPT - 1, 0, -1, number + 1}) {
      Client client = listens("b" + unknown, all, at(position, unknown));
      assertThat(client.count("event: reset")).as("from %d", unknown).isEqualTo(1);
    }
  }

  @Test
  void whoComesBackHearsOfWhatTheyWantOnly() {
    String position = looked(1);
    looked(2);

    Client client = listens("a", EnumSet.of(SnapshotSection.SITES), position);

    assertThat(client.count("event: sites")).isPositive();
    assertThat(client.count("event: caches")).isZero();
  }

  /** Other clients may connect between the check and the beginning of the answer. */
  @Test
  void theBoundsAreKeptWhenAnAnswerBegins() {
    Set<SnapshotSection> all = EnumSet.allOf(SnapshotSection.class);
    StreamSubscriber one = new StreamSubscriber("a", () -> CompletableFuture.completedFuture(true));
    eventStream.check(one);
    eventStream.check(one);

    for (String name : new String[] {"a", "b", "c", "d"}) {
      for (int i = 0; i < 2; i++) {
        assertThat(listens(name, all, "-").heard.toString()).doesNotContain("too-many");
      }
      if (name.equals("a")) {
        assertThat(listens(name, all, "-").heard.toString()).contains("too-many").endsWith("over");
        assertThatThrownBy(() -> eventStream.check(one)).isInstanceOf(ProblemException.class);
      }
    }
    assertThat(listens("e", all, "-").heard.toString()).contains("too-many");
    assertThat(eventStream.listeners()).isEqualTo(8);
  }
}
