package io.ensemble.primary;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What was to be recovered and was not settled when all keys had been recovered is void. */
class LeftOverTest {

  private static final int PRIMARY = 1;
  private static final Setting RECOVERING = new Setting(3, PRIMARY, 2, 1, false);
  private static final Setting RECOVERED = new Setting(3, PRIMARY, 2, 2, false);
  private static final Setting LATER = new Setting(3, 0, 3, 2, false);
  private static final Shown<String> NOTHING = new Shown<>(Copy.absent(), 0);

  private static Shown<String> copy(long epoch, long sequence, boolean settled) {
    return new Shown<>(new Copy<>(new Mark(epoch, sequence), settled, Stamp.NONE, "lost"), 7);
  }

  private static Request.Swap<String> swap(List<Request<String>> requests, int site) {
    return requests.stream()
        .filter(request -> request.site() == site && request instanceof Request.Swap)
        .map(request -> (Request.Swap<String>) request)
        .findFirst()
        .orElseThrow();
  }

  private static <R> List<Request<String>> readThePrimary(
      Operation<String, R> operation, Shown<String> shown) {
    Request<String> first = operation.start().get(0);
    return operation.onRead(first.site(), first.tag(), shown);
  }

  /** The operation reads the primary, and then the others until it has enough. */
  private static <R> List<Request<String>> read(
      Operation<String, R> operation, Shown<String> primary, Shown<String> others) {
    List<Request<String>> next = List.of();
    for (Request<String> request : readThePrimary(operation, primary)) {
      if (next.isEmpty() && operation.awaits(request)) {
        next = operation.onRead(request.site(), request.tag(), others);
      }
    }
    return next;
  }

  @Test
  void whileKeysAreRecoveredItIsBroughtToOthersAndSettled() {
    List<Request<String>> next = readThePrimary(Operation.read(RECOVERING), copy(2, 0, false));

    assertThat(next).extracting(Request::site).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void afterThatAbsenceTakesItsPlaceWhateverOthersHold() {
    List<Request<String>> next =
        read(Operation.read(RECOVERED), copy(2, 0, false), copy(2, 0, true));

    Copy<String> put = swap(next, PRIMARY).copy();
    assertThat(put.value()).isNull();
    assertThat(put.settled()).as("before a majority holds it").isFalse();
    assertThat(put.mark().isAbove(new Mark(2, 0))).isTrue();
    assertThat(new Sequences(new WriterId(1, 1), seen -> seen + 1).next(Mark.NONE, 2))
        .as("a writer's first")
        .matches(first -> first.isAbove(put.mark()));
  }

  @Test
  void aFenceIsNoneForItsContentWasTheKeys() {
    List<Request<String>> next = readThePrimary(Operation.read(RECOVERED), copy(2, 11, false));

    assertThat(next).extracting(Request::site).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void aLaterEpochDoesNotRecoverIt() {
    Operation<String, String> read = Operation.read(LATER);
    read(read, NOTHING, copy(2, 0, false));

    assertThat(read.outcome())
        .hasValueSatisfying(
            outcome ->
                assertThat(outcome)
                    .isInstanceOfSatisfying(
                        Outcome.Done.class, done -> assertThat(done.result()).isNull()));
  }

  @Test
  void aLaterEpochRecoversWhatWasSettled() {
    List<Request<String>> next = read(Operation.read(LATER), NOTHING, copy(2, 0, true));

    assertThat(swap(next, 0).copy().value()).isEqualTo("lost");
  }

  @Test
  void anOperationRecoversUntilItWritesItsOwn() {
    Operation<String, String> write =
        Operation.write(
            RECOVERING,
            current -> Decision.write("new", current),
            new Sequences(new WriterId(1, 2), last -> last + 1));
    assertThat(write.recovers()).isTrue();
    Request<String> first = write.start().get(0);
    write.onRead(first.site(), first.tag(), copy(2, 11, true));

    assertThat(write.recovers()).as("it wants its own to be taken").isFalse();
    assertThat(Operation.read(RECOVERED).recovers()).isFalse();
    assertThat(Operation.copy(RECOVERING, copy(2, 11, true).copy()).recovers()).isFalse();
  }
}
