package io.ensemble.objects;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.machine.StateMachine;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.record.StateLocation;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class WatchersTest {

  private static final ReportTest<Object> IS_OPEN = (state, isCertain) -> "open".equals(state);

  /** A machine whose state is a text. */
  private static final StateMachine TEXTS =
      new StateMachine() {
        @Override
        public Object load(byte[] state) {
          return new String(state, UTF_8);
        }

        @Override
        public byte[] store(Object state) {
          throw new AssertionError("nothing is stored");
        }

        @Override
        public byte[] apply(Object state, byte[] call) {
          throw new AssertionError("nothing is called");
        }
      };

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final Watchers watchers = new Watchers(TEXTS, tasks::add);

  @Test
  void whatDoesNotMatterIsNotTold() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();
    CompletableFuture<Void> any = watchers.add(null).orElseThrow();

    changed(told("shut"));

    assertThat(opened).isNotDone();
    assertThat(any).isDone();
  }

  @Test
  void whatMattersIsToldOnce() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();
    changed(told("open"));
    CompletableFuture<Void> later = watchers.add(IS_OPEN).orElseThrow();

    changed(told("shut"));

    assertThat(opened).isDone();
    assertThat(later).isNotDone();
  }

  @Test
  void aChangeOfWhichNothingWasToldMayMatter() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();

    changed(Optional.empty());

    assertThat(opened).isDone();
  }

  @Test
  void aChangeOfWhichNothingWasToldIsNotHiddenByTheNextOne() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();
    watchers.changed(Optional.empty());

    changed(told("shut"));

    assertThat(opened).isDone();
  }

  @Test
  void ofChangesThatComeFasterThanTheyAreLookedAtTheLastOneCounts() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();
    watchers.changed(told("shut"));

    changed(told("open"));

    assertThat(opened).isDone();
  }

  @Test
  void aStateThatIsNotInTheRootMayMatter() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();
    ObjectRoot stored = root(new StateLocation.Stored(UUID.randomUUID(), 1, 0, List.of()));

    changed(Optional.of(new Entry(RootCodec.write(stored), 1L)));

    assertThat(opened).isDone();
  }

  @Test
  void whatCannotBeReadMayMatter() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();

    changed(Optional.of(new Entry(new byte[] {99}, 1L)));

    assertThat(opened).isDone();
  }

  @Test
  void onlyAStateThatWasReadIsCertain() {
    List<Boolean> certain = new ArrayList<>();
    ReportTest<Object> test =
        (state, isCertain) -> {
          certain.add(isCertain);
          return false;
        };
    assertThat(watchers.add(test)).isPresent();

    changed(told("shut"));
    watchers.changed(root(new StateLocation.Inline(ByteString.of("shut".getBytes(UTF_8)))));
    run();

    assertThat(certain).containsExactly(false, true);
  }

  @Test
  void whoThrowsIsToldToLook() {
    CompletableFuture<Void> thrown =
        watchers
            .add(
                (state, isCertain) -> {
                  throw new IllegalStateException("as a test requires it");
                })
            .orElseThrow();

    changed(told("shut"));

    assertThat(thrown).isDone();
  }

  @Test
  void whoWaitsWhenItIsClosedHearsOfIt() {
    CompletableFuture<Void> opened = watchers.add(IS_OPEN).orElseThrow();

    watchers.close();
    run();

    assertThat(opened).isDone();
    assertThat(watchers.add(IS_OPEN)).isEmpty();
  }

  @Test
  void whoWaitsWhenNothingRunsAnyMoreHearsOfIt() {
    Watchers ended =
        new Watchers(
            TEXTS,
            task -> {
              throw new RejectedExecutionException("as a test requires it");
            });
    CompletableFuture<Void> opened = ended.add(IS_OPEN).orElseThrow();

    ended.changed(told("shut"));

    assertThat(opened).isDone();
  }

  private void changed(Optional<Entry> entry) {
    watchers.changed(entry);
    run();
  }

  private void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private static Optional<Entry> told(String state) {
    return Optional.of(
        new Entry(
            RootCodec.write(root(new StateLocation.Inline(ByteString.of(state.getBytes(UTF_8))))),
            1L));
  }

  private static ObjectRoot root(StateLocation stateLocation) {
    return new ObjectRoot(
        "text", UUID.randomUUID(), 1, 0, stateLocation, List.of(), 0, null, null, 0);
  }
}
