package io.ensemble.cache.swmr.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.swmr.FakeHandle;
import io.ensemble.cache.swmr.copy.KeyCall.KeyCallResult;
import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.TermContext;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import io.ensemble.stamp.Stamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A call that recovers a key sends no more requests once it may not recover. */
class KeyCallTest {

  private static final Bytes KEY = Bytes.of((byte) 7);
  private static final TermContext RECOVERING = new TermContext(3, 0, 2, 1, false);
  private static final TermContext RECOVERED = new TermContext(3, 0, 2, 2, false);

  private final SimScheduler scheduler = SimScheduler.ofSeed(5);
  private final List<CompletableFuture<Object>> asked = new ArrayList<>();
  private boolean mayRecover = true;

  private Object ask() {
    CompletableFuture<Object> answer = new CompletableFuture<>();
    asked.add(answer);
    return answer;
  }

  private CompletableFuture<KeyCallResult<Payload>> read(TermContext termContext) {
    SiteStore store = FakeHandle.store((proxy, method, given) -> ask());
    Deadline limit = new Deadline(scheduler.nanos() + 1_000_000_000);
    List<StoreHandle> handles =
        List.of(
            FakeHandle.open("a", store), FakeHandle.open("b", store), FakeHandle.open("c", store));
    return new KeyCall<>(
            scheduler,
            List.of("a", "b", "c"),
            KEY,
            PrimaryOperation.<Payload>read(termContext),
            StoreSet.of(handles, limit),
            0,
            () -> mayRecover,
            site -> {},
            limit)
        .start()
        .toCompletableFuture();
  }

  /** The primary answers with an unsettled copy of the recovered epoch. */
  private void answerTheFirst() {
    Bytes copy = CopyCodec.encode(new Copy<>(new CopyPosition(2, 5), false, Stamp.NONE, null));
    asked.get(0).complete(Optional.of(new StoredEntry(copy, 9)));
  }

  @Test
  void underItsLeaseItGoesOn() {
    CompletableFuture<KeyCallResult<Payload>> read = read(RECOVERING);

    answerTheFirst();

    assertThat(asked).as("it backs the copy up").hasSize(3);
    assertThat(read).isNotDone();
  }

  @Test
  void anAnswerAfterItsLeaseEndsIt() {
    CompletableFuture<KeyCallResult<Payload>> read = read(RECOVERING);
    mayRecover = false;

    answerTheFirst();

    assertThat(asked).hasSize(1);
    assertThat(read.join().outcome()).isInstanceOf(PrimaryOutcome.Refused.class);
  }

  @Test
  void itDoesNotBeginAfterItsLease() {
    mayRecover = false;

    assertThat(read(RECOVERING).join().outcome()).isInstanceOf(PrimaryOutcome.Refused.class);
    assertThat(asked).isEmpty();
  }

  @Test
  void onceAllKeysAreRecoveredNoLeaseIsNeededToSettleWhatIsOfTheEpoch() {
    mayRecover = false;
    CompletableFuture<KeyCallResult<Payload>> read = read(RECOVERED);

    answerTheFirst();

    assertThat(asked).hasSize(3);
    assertThat(read).isNotDone();
  }
}
