package io.ensemble.primary;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A copy that was not settled when all keys had been recovered is void. */
class LeftoverCopyTest {

  private static final int PRIMARY = 1;
  private static final TermContext RECOVERING = new TermContext(3, PRIMARY, 2, 1, false);
  private static final TermContext RECOVERED = new TermContext(3, PRIMARY, 2, 2, false);
  private static final TermContext LATER = new TermContext(3, 0, 3, 2, false);
  private static final VersionedCopy<String> NOTHING = new VersionedCopy<>(Copy.absent(), 0);

  private static VersionedCopy<String> copy(long epoch, long sequence, boolean settled) {
    return new VersionedCopy<>(
        new Copy<>(new CopyPosition(epoch, sequence), settled, Stamp.NONE, "lost"), 7);
  }

  private static PrimaryRequest.Swap<String> swap(List<PrimaryRequest<String>> requests, int site) {
    return requests.stream()
        .filter(request -> request.site() == site && request instanceof PrimaryRequest.Swap)
        .map(request -> (PrimaryRequest.Swap<String>) request)
        .findFirst()
        .orElseThrow();
  }

  private static <R> List<PrimaryRequest<String>> readThePrimary(
      PrimaryOperation<String, R> operation, VersionedCopy<String> shown) {
    PrimaryRequest<String> first = operation.start().get(0);
    return operation.onRead(first.site(), first.tag(), shown);
  }

  /** The operation reads the primary, and then the others until it has enough. */
  private static <R> List<PrimaryRequest<String>> read(
      PrimaryOperation<String, R> operation,
      VersionedCopy<String> primary,
      VersionedCopy<String> others) {
    List<PrimaryRequest<String>> next = List.of();
    for (PrimaryRequest<String> request : readThePrimary(operation, primary)) {
      if (next.isEmpty() && operation.awaits(request)) {
        next = operation.onRead(request.site(), request.tag(), others);
      }
    }
    return next;
  }

  @Test
  void whileKeysAreRecoveredItIsBroughtToOthersAndSettled() {
    List<PrimaryRequest<String>> next =
        readThePrimary(PrimaryOperation.read(RECOVERING), copy(2, 0, false));

    assertThat(next).extracting(PrimaryRequest::site).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void afterThatAbsenceTakesItsPlaceWhateverOthersHold() {
    List<PrimaryRequest<String>> next =
        read(PrimaryOperation.read(RECOVERED), copy(2, 0, false), copy(2, 0, true));

    Copy<String> put = swap(next, PRIMARY).copy();
    assertThat(put.value()).isNull();
    assertThat(put.settled()).as("before a majority holds it").isFalse();
    assertThat(put.mark().isAbove(new CopyPosition(2, 0))).isTrue();
    assertThat(new SequenceGenerator(new WriterId(1, 1), seen -> seen + 1).next(Copy.absent(), 2))
        .as("a writer's first")
        .matches(first -> first.isAbove(put.mark()));
  }

  /** The clock of a new writer may be behind that of the former one. */
  @Test
  void aWriteHasAHigherStampThanTheOneBeforeItInWhicheverTerm() {
    Stamp former = new Stamp(1_000, new WriterId(1, 1));
    SequenceGenerator slow = new SequenceGenerator(new WriterId(2, 2), seen -> seen + 1);

    Copy<String> recovered = new Copy<>(new CopyPosition(2, 0), true, former, "v");
    Stamp next = slow.stamp(slow.next(recovered, 2));

    assertThat(next.isAfter(former)).isTrue();
  }

  @Test
  void aFenceIsNoneForItsContentWasTheKeys() {
    List<PrimaryRequest<String>> next =
        readThePrimary(PrimaryOperation.read(RECOVERED), copy(2, 11, false));

    assertThat(next).extracting(PrimaryRequest::site).containsExactlyInAnyOrder(0, 2);
  }

  @Test
  void aLaterEpochDoesNotRecoverIt() {
    PrimaryOperation<String, String> read = PrimaryOperation.read(LATER);
    read(read, NOTHING, copy(2, 0, false));

    assertThat(read.outcome())
        .hasValueSatisfying(
            outcome ->
                assertThat(outcome)
                    .isInstanceOfSatisfying(
                        PrimaryOutcome.Done.class, done -> assertThat(done.result()).isNull()));
  }

  @Test
  void aLaterEpochRecoversWhatWasSettled() {
    List<PrimaryRequest<String>> next =
        read(PrimaryOperation.read(LATER), NOTHING, copy(2, 0, true));

    assertThat(swap(next, 0).copy().value()).isEqualTo("lost");
  }

  @Test
  void anOperationRecoversUntilItWritesItsOwn() {
    PrimaryOperation<String, String> write =
        PrimaryOperation.write(
            RECOVERING,
            current -> Decision.write("new", current),
            new SequenceGenerator(new WriterId(1, 2), last -> last + 1));
    assertThat(write.recovers()).isTrue();
    PrimaryRequest<String> first = write.start().get(0);
    write.onRead(first.site(), first.tag(), copy(2, 11, true));

    assertThat(write.recovers()).as("it requires its own to be taken").isFalse();
    assertThat(PrimaryOperation.read(RECOVERED).recovers()).isFalse();
    assertThat(PrimaryOperation.copy(RECOVERING, copy(2, 11, true).copy()).recovers()).isFalse();
  }
}
