package io.ensemble.rest.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDeletedException;
import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.ChangeStream;
import io.ensemble.rest.events.CacheStreams.Bounds;
import io.ensemble.rest.events.CacheStreams.Message;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.StreamingBody;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client of the changes of a cache receives, and when its place is free again. */
@Timeout(60)
class CacheSubscriptionTest {

  private static final Duration LONG = Duration.ofHours(1);

  private final CacheStreams streams = streams(Duration.ZERO, LONG);
  private final FakeStream stream = new FakeStream();
  private final FakeClient client = new FakeClient();

  private static CacheStreams streams(Duration idInterval, Duration stallTimeout) {
    return new CacheStreams(new Bounds(2, 1, LONG, idInterval, stallTimeout));
  }

  @AfterEach
  void close() {
    streams.close();
  }

  /** A stream whose position is the number of events that were read. */
  private static final class FakeStream implements ChangeStream<Object, Object> {
    private final Deque<ChangeEvent<Object, Object>> ready = new ArrayDeque<>();
    private @Nullable CompletableFuture<Optional<ChangeEvent<Object, Object>>> reader;
    private @Nullable RuntimeException failure;
    private int read;
    private int closed;

    synchronized void add(String key) {
      ChangeStamp stamp = new ChangeStamp(1, new Stamp(5, new WriterId(0, 1)));
      ready.add(new Change<>(Kind.CREATED, key, "v", stamp));
      deliver();
    }

    synchronized void fail(RuntimeException why) {
      failure = failure == null ? why : failure;
      deliver();
    }

    private void deliver() {
      CompletableFuture<Optional<ChangeEvent<Object, Object>>> waiting = reader;
      if (waiting != null) {
        reader = null;
        if (ready.isEmpty()) {
          waiting.completeExceptionally(failure);
        } else {
          read++;
          waiting.complete(Optional.of(ready.remove()));
        }
      }
    }

    @Override
    public Optional<ChangeEvent<Object, Object>> next(Duration timeout) {
      throw new AssertionError("blocks");
    }

    @Override
    public synchronized CompletionStage<Optional<ChangeEvent<Object, Object>>> nextAsync(
        Duration timeout) {
      assertThat(reader).as("one reader at a time").isNull();
      if (!ready.isEmpty()) {
        read++;
        return CompletableFuture.completedFuture(Optional.of(ready.remove()));
      }
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      if (timeout.isZero()) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      reader = new CompletableFuture<>();
      return reader;
    }

    @Override
    public synchronized String position() {
      return "after-" + read;
    }

    @Override
    public synchronized void close() {
      closed++;
      fail(new IllegalStateException("closed"));
    }
  }

  private static final class FakeClient implements StreamingBody.Way {
    private final LinkedBlockingQueue<String> sent = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<CompletableFuture<Void>> sending =
        new LinkedBlockingQueue<>();

    @Override
    public CompletionStage<Void> send(byte[] bytes) {
      CompletableFuture<Void> one = new CompletableFuture<>();
      sending.add(one);
      sent.add(new String(bytes, StandardCharsets.UTF_8));
      return one;
    }

    @Override
    public void end() {
      sent.add("ended");
    }

    @Override
    public void cut() {
      sent.add("cut");
    }

    String received() throws InterruptedException {
      String text = sent.poll(30, TimeUnit.SECONDS);
      return text == null ? "nothing" : text;
    }

    /** The client has read what it was sent. */
    void read() throws InterruptedException {
      sending.take().complete(null);
    }
  }

  private StreamingBody body(CacheStreams of, CompletionStage<Boolean> isPermitted) {
    of.enter("ada");
    return of.body(
        new StreamSubscriber("ada", () -> isPermitted),
        stream,
        event ->
            event instanceof Change<Object, Object> change
                ? Optional.of(new Message("created", Map.of("key", change.key())))
                : Optional.empty());
  }

  private static CompletionStage<Boolean> yes() {
    return CompletableFuture.completedFuture(true);
  }

  private static void awaitFree(CacheStreams of) {
    await().until(() -> of.clients() == 0);
    of.enter("ada");
    of.leave("ada");
  }

  @Test
  void eventsOfAClientThatReadsSlowlyAreSentTogetherWithOnePosition() throws Exception {
    body(streams, yes()).begin(client);
    assertThat(client.received()).contains("id: after-0\nevent: ready\n");
    stream.add("a");
    stream.add("b");
    client.read();

    String both = client.received();

    assertThat(both).containsSubsequence("\"key\":\"a\"", "\"key\":\"b\"", "id: after-2\n\n");
    assertThat(both).doesNotContain("after-1");
  }

  @Test
  void aPositionIsSentOnceInAnInterval() throws Exception {
    CacheStreams rare = streams(LONG, LONG);
    body(rare, yes()).begin(client);
    client.received();
    client.read();
    stream.add("a");
    assertThat(client.received()).contains("\"key\":\"a\"").doesNotContain("id:");
    client.read();

    rare.close();

    assertThat(client.received())
        .containsSubsequence("id: after-1\n\n", "event: end", "\"reason\":\"closing\"");
    client.read();
    assertThat(client.received()).isEqualTo("ended");
    awaitFree(rare);
  }

  @Test
  void theReasonOfTheEndIsSentAfterTheEventsBefore() throws Exception {
    body(streams, yes()).begin(client);
    client.received();
    stream.add("a");
    stream.fail(new CacheDeletedException("orders"));
    client.read();
    assertThat(client.received()).contains("\"key\":\"a\"");
    client.read();
    assertThat(client.received()).contains("event: end", "\"reason\":\"deleted\"");
    client.read();
    assertThat(client.received()).isEqualTo("ended");
    awaitFree(streams);
    assertThat(stream.closed).isPositive();
  }

  @Test
  void aClientThatIsGoneGivesItsPlaceBack() throws Exception {
    body(streams, yes()).begin(client);
    client.received();
    assertThatThrownBy(() -> streams.enter("ada")).isInstanceOf(ProblemException.class);

    client.sending.take().completeExceptionally(new IOException("gone"));

    awaitFree(streams);
    assertThat(stream.closed).isPositive();
  }

  @Test
  void anAnswerThatNeverBeginsGivesItsPlaceBack() throws Exception {
    body(streams, yes()).abandon();

    awaitFree(streams);
    assertThat(stream.closed).isPositive();
  }

  @Test
  void aClientThatReadsNothingIsDisconnected() throws Exception {
    CacheSubscription subscription = (CacheSubscription) body(streams, yes());
    subscription.begin(client);
    client.received();

    subscription.check(System.nanoTime() + 2 * LONG.toNanos());

    assertThat(client.received()).isEqualTo("cut");
    awaitFree(streams);
  }

  @Test
  void aClientWithoutThePermissionIsToldSo() throws Exception {
    CacheSubscription subscription =
        (CacheSubscription) body(streams, CompletableFuture.completedFuture(false));
    subscription.begin(client);
    client.received();
    client.read();

    subscription.check(System.nanoTime());

    assertThat(client.received()).contains("event: end", "\"reason\":\"unauthorized\"");
  }

  @Test
  void aClientWhosePermissionWasRevokedReceivesNothingThatWaits() throws Exception {
    CacheSubscription subscription =
        (CacheSubscription) body(streams, CompletableFuture.completedFuture(false));
    subscription.begin(client);
    client.received();
    stream.add("a");
    stream.add("b");

    subscription.check(System.nanoTime());
    client.read();

    assertThat(client.received())
        .contains("event: end", "\"reason\":\"unauthorized\"")
        .doesNotContain("\"key\"", "id:");
    client.read();
    assertThat(client.received()).isEqualTo("ended");
  }

  @Test
  void aClientWhoseStreamEndedBeforeTheAnswerBeganIsDisconnected() throws Exception {
    CacheSubscription subscription = (CacheSubscription) body(streams, yes());
    subscription.end("closing");

    subscription.begin(client);

    assertThat(client.received()).isEqualTo("cut");
    awaitFree(streams);
  }
}
