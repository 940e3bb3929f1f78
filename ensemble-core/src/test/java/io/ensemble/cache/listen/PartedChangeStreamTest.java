package io.ensemble.cache.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.catalog.VirtualTimeScheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stream of a distributed cache reads the streams of the parts in turn. */
@Timeout(30)
class PartedChangeStreamTest {

  private static final Duration WAIT = Duration.ofSeconds(1);

  /** A part whose events the test gives. Keys that begin with its name belong to it. */
  private static final class ScriptedPart implements PolledChangeStream<String, Integer> {

    private final String name;
    private final Deque<ChangeEvent<String, Integer>> events = new ArrayDeque<>();
    private Runnable arrival = () -> {};
    private Runnable onPoll = () -> {};
    private int received;
    private boolean isClosed;
    private @Nullable RuntimeException end;

    ScriptedPart(String name) {
      this.name = name;
    }

    void give(String... keys) {
      for (String key : keys) {
        events.add(new Change<>(Kind.CREATED, key, 1, ChangeStamp.NONE));
      }
      arrival.run();
    }

    @Override
    public Optional<ChangeEvent<String, Integer>> poll() {
      onPoll.run();
      ChangeEvent<String, Integer> event = events.poll();
      if (event == null && end != null) {
        throw end;
      }
      received += event == null ? 0 : 1;
      return Optional.ofNullable(event);
    }

    @Override
    public void onArrival(Runnable told) {
      arrival = told;
    }

    @Override
    public Optional<ChangeEvent<String, Integer>> next(Duration timeout) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Optional<ChangeEvent<String, Integer>>> nextAsync(Duration timeout) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String position() {
      return name + received;
    }

    @Override
    public void close() {
      isClosed = true;
    }
  }

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final ScriptedPart a = new ScriptedPart("a");
  private final ScriptedPart b = new ScriptedPart("b");
  private long generation = 7;

  private PartedChangeStream<String, Integer> stream(@Nullable PartedPosition outdated) {
    return new PartedChangeStream<>(
        scheduler,
        0xc,
        () -> generation,
        7,
        List.of(
            new PartedChangeStream.Part<>(a, key -> key.startsWith("a")),
            new PartedChangeStream.Part<>(b, key -> key.startsWith("b"))),
        outdated);
  }

  private static String key(Optional<ChangeEvent<String, Integer>> event) {
    return ((Change<String, Integer>) event.orElseThrow()).key();
  }

  private static CompletableFuture<Optional<ChangeEvent<String, Integer>>> next(
      PartedChangeStream<String, Integer> stream) {
    return stream.nextAsync(WAIT).toCompletableFuture();
  }

  @Test
  void partsTakeTurnsAndKeysOfOthersAreLeftOut() {
    a.give("a1", "b-left-behind", "a2", "a3");
    b.give("b1");
    PartedChangeStream<String, Integer> stream = stream(null);

    assertThat(List.of(1, 2, 3, 4))
        .extracting(turn -> key(next(stream).join()))
        .containsExactly("a1", "b1", "a2", "a3");
    assertThat(stream.position()).isEqualTo("P1.c.7.a4.b1");
    assertThat(stream.poll()).isEmpty();
  }

  @Test
  void aReaderWaitsForTheFirstEventOfAnyPart() {
    PartedChangeStream<String, Integer> stream = stream(null);
    CompletableFuture<Optional<ChangeEvent<String, Integer>>> call = next(stream);
    assertThat(call).isNotDone();
    assertThatIllegalStateException()
        .isThrownBy(() -> stream.nextAsync(WAIT))
        .withMessageContaining("one reader");

    b.give("a-of-another", "b1", "b2");

    assertThat(key(call.join())).isEqualTo("b1");
    assertThat(stream.position()).as("b2 was not received").isEqualTo("P1.c.7.a0.b2");
    assertThat(scheduler.timers()).isZero();
  }

  @Test
  void aReaderThatWaitsInVainReceivesNothingAndLosesNothing() {
    PartedChangeStream<String, Integer> stream = stream(null);
    CompletableFuture<Optional<ChangeEvent<String, Integer>>> late = next(stream);

    scheduler.advance(WAIT);
    assertThat(late.join()).isEmpty();
    a.give("a1");

    assertThat(stream.nextAsync(Duration.ZERO).toCompletableFuture().join())
        .satisfies(event -> assertThat(key(event)).isEqualTo("a1"));
    assertThat(stream.nextAsync(Duration.ZERO).toCompletableFuture().join()).isEmpty();
  }

  /** REST asks so. */
  @Test
  void aCallThatDoesNotWaitIsCompleteAlthoughAnArrivalIsUnderWay() {
    PartedChangeStream<String, Integer> stream = stream(null);
    a.onPoll = () -> b.arrival.run(); // As another thread would.
    b.events.add(new Change<>(Kind.CREATED, "b1", 1, ChangeStamp.NONE));

    CompletableFuture<Optional<ChangeEvent<String, Integer>>> call =
        stream.nextAsync(Duration.ZERO).toCompletableFuture();

    assertThat(call).isDone();
    assertThat(key(call.join())).isEqualTo("b1");
    assertThat(stream.nextAsync(Duration.ZERO).toCompletableFuture()).isDone();
  }

  @Test
  void aReaderMayWaitForEver() {
    PartedChangeStream<String, Integer> stream = stream(null);
    CompletableFuture<Optional<ChangeEvent<String, Integer>>> call =
        stream.nextAsync(Duration.ofSeconds(Long.MAX_VALUE)).toCompletableFuture();

    a.give("a1");

    assertThat(key(call.join())).isEqualTo("a1");
  }

  @Test
  void theEndOfAPartEndsTheStream() {
    PartedChangeStream<String, Integer> stream = stream(null);
    CompletableFuture<Optional<ChangeEvent<String, Integer>>> call = next(stream);
    b.end = new IllegalStateException("deleted");

    b.give();

    assertThat(call).isCompletedExceptionally();
    assertThatIllegalStateException().isThrownBy(stream::poll).withMessage("deleted");
    stream.close();
    assertThat(a.isClosed && b.isClosed).isTrue();
  }

  @Test
  void anotherAssignmentOfKeysEndsTheStream() {
    a.give("a1", "a2");
    PartedChangeStream<String, Integer> stream = stream(null);
    assertThat(key(next(stream).join())).isEqualTo("a1");

    generation = 8;

    assertThatIllegalStateException()
        .isThrownBy(stream::poll)
        .withMessageContaining("listen again");
    assertThat(stream.position()).isEqualTo("P1.c.7.a1.b0");
  }

  @Test
  void aReaderThatWaitsLearnsOfAnotherAssignment() {
    PartedChangeStream<String, Integer> stream = stream(null);
    CompletableFuture<Optional<ChangeEvent<String, Integer>>> call =
        stream.nextAsync(Duration.ofHours(1)).toCompletableFuture();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(call).isNotDone();

    generation = 8;
    scheduler.advance(Duration.ofSeconds(1));

    assertThat(call).isCompletedExceptionally();
    assertThat(scheduler.timers()).isZero();
  }

  @Test
  void aStreamFromAnotherAssignmentBeginsWithAGap() {
    a.give("a1");
    PartedPosition former = new PartedPosition(0xc, 6, List.of("x", "y", "z"));
    PartedChangeStream<String, Integer> stream = stream(former);
    assertThat(stream.position()).as("the gap is still to come").isEqualTo(former.toText());

    Optional<ChangeEvent<String, Integer>> first = next(stream).join();

    Gap<String, Integer> gap = (Gap<String, Integer>) first.orElseThrow();
    assertThat(gap.reason()).isEqualTo(GapReason.RETENTION);
    assertThat(gap.key()).isEmpty();
    assertThat(stream.position()).isEqualTo("P1.c.7.a0.b0");
    assertThat(key(next(stream).join())).isEqualTo("a1");
  }

  @Test
  void gapsOfAPartAreShownIfTheyConcernItsKeys() {
    a.events.add(gap(Optional.of("b1")));
    a.events.add(gap(Optional.of("a1")));
    a.events.add(gap(Optional.empty()));
    PartedChangeStream<String, Integer> stream = stream(null);

    assertThat(List.of(stream.poll(), stream.poll(), stream.poll()))
        .extracting(event -> event.map(one -> ((Gap<String, Integer>) one).key()))
        .containsExactly(
            Optional.of(Optional.of("a1")), Optional.of(Optional.empty()), Optional.empty());
  }

  private static ChangeEvent<String, Integer> gap(Optional<String> key) {
    return new Gap<>(
        GapReason.OVERWRITTEN, key, ChangeStamp.NONE, ChangeStamp.NONE, OptionalLong.empty());
  }

  /** A part may be distributed itself. */
  @Test
  void aPositionOutlastsItsText() {
    String inner = new PartedPosition(-5, 3, List.of("AAA", "BB_-")).toText();
    PartedPosition position = new PartedPosition(0xc, 12, List.of("CCC", inner));

    assertThat(position.toText()).matches("[A-Za-z0-9._~-]+");
    assertThat(PartedPosition.parse(position.toText())).isEqualTo(position);
    for (String malformed : List.of("", "AAAA", "P1.x.AAA", "P1.7", "P2.7.AAA", "P1.c.7.~*")) {
      assertThatIllegalArgumentException()
          .as(malformed)
          .isThrownBy(() -> PartedPosition.parse(malformed))
          .withMessageContaining("malformed position");
    }
  }
}
