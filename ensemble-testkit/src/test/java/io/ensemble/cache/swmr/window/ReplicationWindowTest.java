package io.ensemble.cache.swmr.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CopyWindow;
import io.ensemble.cache.Payload;
import io.ensemble.cache.swmr.window.WindowSlot.Write;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The window holds the writes that a majority may lack, up to its bounds, and loses none of them.
 */
class ReplicationWindowTest {

  private static final WriterId SELF = new WriterId(1, 2);
  private static final Term FIRST = Term.first("a", SELF);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final Map<Copy<Payload>, CompletableFuture<Boolean>> copies = new LinkedHashMap<>();
  private final List<Write> doubtful = new ArrayList<>();
  private boolean lasts = true;
  private long sequence = 10;

  private WindowCapacity windowCapacity = places(3, Duration.ofSeconds(2));
  private ReplicationWindow window = window();

  private WindowCapacity places(int writes, Duration age) {
    return new WindowCapacity(new CopyWindow(writes, age), scheduler);
  }

  private ReplicationWindow window() {
    return new ReplicationWindow(
        scheduler,
        windowCapacity,
        (key, term, copy) -> copies.computeIfAbsent(copy, one -> new CompletableFuture<>()),
        epoch -> lasts,
        this::doubt);
  }

  /** Reports writes in doubt under the window's lock, before writes of the next epoch can enter. */
  private void doubt(List<Write> writes) {
    assertThat(Thread.holdsLock(window)).isTrue();
    doubtful.addAll(writes);
    windowCapacity.doubt(writes.size());
  }

  private CompletionStage<Optional<WindowSlot>> enter(long millis) {
    return window.enter(new Deadline(scheduler.nanos() + millis * 1_000_000));
  }

  private static Optional<WindowSlot> now(CompletionStage<Optional<WindowSlot>> stage) {
    return stage.toCompletableFuture().getNow(Optional.empty());
  }

  private static Bytes key(int number) {
    return Bytes.of((byte) number);
  }

  private Copy<Payload> write(int key, Term term) {
    return write(key, term, now(enter(1)).orElseThrow(), 1);
  }

  private Copy<Payload> write(int key, Term term, WindowSlot place, int size) {
    CopyPosition mark = new CopyPosition(term.epoch(), ++sequence);
    Stamp stamp = new Stamp(sequence, SELF);
    Copy<Payload> copy = new Copy<>(mark, true, stamp, new Payload(Bytes.of(new byte[size]), 0));
    window.written(
        place, new Write(key(key), term.epoch(), mark, stamp, Stamp.NONE, true), term, copy);
    return copy;
  }

  private void pass(Duration time) {
    scheduler.after(time.toNanos(), () -> {}); // The clock advances only from task to task.
    scheduler.run(time, 10_000);
  }

  @Test
  void soManyWritesAndNoMoreAreInTheWindow() {
    Copy<Payload> first = write(1, FIRST);
    write(2, FIRST);
    write(3, FIRST);
    CompletionStage<Optional<WindowSlot>> fourth = enter(10_000);
    pass(Duration.ofMillis(1));
    assertThat(fourth.toCompletableFuture()).isNotDone();

    copies.get(first).complete(true);
    pass(Duration.ofMillis(1));

    assertThat(now(fourth)).isPresent();
    assertThat(windowCapacity.size()).isEqualTo(3);
  }

  @Test
  void whoFindsNoPlaceByTheDeadlineIsRefused() {
    write(1, FIRST);
    write(2, FIRST);
    write(3, FIRST);
    CompletionStage<Optional<WindowSlot>> fourth = enter(50);

    pass(Duration.ofMillis(60));

    assertThat(fourth.toCompletableFuture()).isCompletedWithValue(Optional.empty());
    assertThat(windowCapacity.waiting()).isZero();
  }

  @Test
  void nobodyIsLetInWhileTheOldestIsTooOld() {
    write(1, FIRST);
    pass(Duration.ofMillis(1_900));
    assertThat(now(enter(1))).isPresent();
    pass(Duration.ofMillis(200));

    assertThat(now(enter(1))).isEmpty();
  }

  @Test
  void soManyWritersMayWait() {
    windowCapacity = places(1, Duration.ofSeconds(2));
    window = window();
    write(1, FIRST);
    for (int i = 0; i < WindowCapacity.MOST_WAITING; i++) {
      assertThat(enter(10_000).toCompletableFuture()).isNotDone();
    }

    assertThat(enter(10_000).toCompletableFuture()).isCompletedWithValue(Optional.empty());
  }

  @Test
  void soManyBytesMayWait() {
    WindowSlot place = now(enter(1)).orElseThrow();
    Copy<Payload> large = write(1, FIRST, place, (int) WindowCapacity.MOST_BYTES);
    assertThat(now(enter(1))).isEmpty();

    copies.get(large).complete(true);

    assertThat(now(enter(1))).isPresent();
  }

  @Test
  void soManyKeysAreCopiedAtOnce() {
    windowCapacity = places(1_000, Duration.ofSeconds(2));
    window = window();
    for (int i = 0; i < ReplicationWindow.COPIES_AT_ONCE + 20; i++) {
      write(i, FIRST);
    }

    assertThat(copies).hasSize(ReplicationWindow.COPIES_AT_ONCE);
  }

  @Test
  void aKeyIsCopiedByOneAtATimeAndItsLastWriteStandsForThoseBefore() {
    Copy<Payload> first = write(1, FIRST);
    Copy<Payload> second = write(1, FIRST);
    Copy<Payload> third = write(1, FIRST);
    assertThat(copies.keySet()).containsExactly(first);

    copies.get(first).complete(true);
    assertThat(copies.keySet()).containsExactly(first, third).doesNotContain(second);
    copies.get(third).complete(true);

    assertThat(windowCapacity.size()).isZero();
  }

  @Test
  void aCopyThatFailedIsTriedAgain() {
    Copy<Payload> copy = write(1, FIRST);
    copies.remove(copy).complete(false);
    assertThat(windowCapacity.size()).isEqualTo(1);

    pass(Duration.ofMillis(100));
    copies.get(copy).complete(true);

    assertThat(windowCapacity.size()).isZero();
  }

  /**
   * A copy that arrives after its epoch has ended must not count: a recovery may have missed it.
   */
  @Test
  void aCopyCountsOnlyWhenItsEpochLastedUntilThen() {
    lasts = false;
    long before = scheduler.nanos();
    Copy<Payload> copy = write(1, FIRST);
    pass(Duration.ofMillis(1));
    copies.get(copy).complete(true);
    assertThat(windowCapacity.size()).isEqualTo(1);
    window.seen(new LeasedTerm(FIRST, before));
    assertThat(windowCapacity.size()).as("asked for before it arrived").isEqualTo(1);

    window.seen(new LeasedTerm(FIRST.beaten(), scheduler.nanos()));

    assertThat(windowCapacity.size()).isZero();
    assertThat(doubtful).isEmpty();
  }

  @Test
  void whatIsThereWhenALaterEpochIsSeenIsInDoubt() {
    lasts = false;
    Copy<Payload> arrived = write(1, FIRST);
    copies.get(arrived).complete(true);
    write(2, FIRST);
    Term next = FIRST.succeeded("b", SELF);

    window.seen(new LeasedTerm(next, scheduler.nanos()));

    assertThat(doubtful).extracting(Write::key).containsExactlyInAnyOrder(key(1), key(2));
    assertThat(windowCapacity.size()).isZero();
  }

  /** The places stay taken even if several epochs end before the fates are known. */
  @Test
  void whatIsInDoubtTakesPlacesUntilItsFateIsKnown() {
    write(1, FIRST);
    write(2, FIRST);
    Term next = FIRST.succeeded("b", SELF).activated();
    window.seen(new LeasedTerm(next, scheduler.nanos()));
    write(3, next);
    CompletionStage<Optional<WindowSlot>> fourth = enter(10_000);
    assertThat(fourth.toCompletableFuture()).isNotDone();
    window.seen(new LeasedTerm(next.succeeded("c", SELF), scheduler.nanos()));
    pass(Duration.ofMillis(1));
    assertThat(doubtful).hasSize(3);
    assertThat(fourth.toCompletableFuture()).isNotDone();

    windowCapacity.doubt(-2);
    pass(Duration.ofMillis(1));

    assertThat(now(fourth)).isPresent();
  }

  @Test
  void whoWritesInTheNextEpochFindsAllOfTheFormerInDoubt() {
    write(1, FIRST);

    window.advanceTo(2);

    assertThat(doubtful).hasSize(1);
    assertThat(windowCapacity.size()).isZero();
  }

  @Test
  void whatIsWrittenInAnEpochThatIsOverIsInDoubtAtOnce() {
    WindowSlot late = now(enter(1)).orElseThrow();
    window.seen(new LeasedTerm(FIRST.succeeded("b", SELF), scheduler.nanos()));

    write(1, FIRST, late, 1);

    assertThat(doubtful).hasSize(1);
    assertThat(windowCapacity.size()).isZero();
    assertThat(copies).isEmpty();
  }

  @Test
  void aWriteOfALaterEpochIsNotTakenForOneOfTheFormer() {
    write(1, FIRST);
    Term next = FIRST.succeeded("b", SELF).activated();

    write(2, next); // Before the window has seen the new epoch.
    window.seen(new LeasedTerm(next, scheduler.nanos()));

    assertThat(doubtful).extracting(Write::key).containsExactly(key(1));
    assertThat(windowCapacity.size()).isEqualTo(1);
  }

  @Test
  void drainingWaitsForTheLastCopy() {
    Copy<Payload> copy = write(1, FIRST);
    CompletableFuture<Boolean> soon =
        window.drain(new Deadline(scheduler.nanos() + 1_000_000)).toCompletableFuture();
    CompletableFuture<Boolean> later =
        window.drain(new Deadline(scheduler.nanos() + 1_000_000_000)).toCompletableFuture();
    pass(Duration.ofMillis(10));
    assertThat(soon).isCompletedWithValue(false);

    copies.get(copy).complete(true);

    assertThat(later).isCompletedWithValue(true);
  }

  @Test
  void whatIsLeftAtTheCloseIsInDoubtAndNobodyWaitsOn() {
    write(1, FIRST);
    write(2, FIRST);
    write(3, FIRST);
    CompletionStage<Optional<WindowSlot>> waits = enter(10_000);

    window.close();

    assertThat(doubtful).hasSize(3);
    assertThat(waits.toCompletableFuture()).isCompletedWithValue(Optional.empty());
    assertThat(now(enter(1))).isEmpty();
  }
}
