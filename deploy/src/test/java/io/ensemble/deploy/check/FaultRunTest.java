package io.ensemble.deploy.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.deploy.check.FaultPlan.Settings;
import io.ensemble.deploy.federation.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultRunTest {
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch rounds = new CountDownLatch(2);

  @Test
  void aWipedSiteIsRefilledBeforeAnythingElseIsBroken() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    FaultRun run =
        run(
            Set.of(FaultKind.AMNESIA),
            site -> {
              if (tries.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("not yet");
              }
              done.add("refilled " + site);
              rounds.countDown();
              return 5;
            });

    run.start();
    assertThat(rounds.await(50, TimeUnit.SECONDS)).isTrue();
    run.stop();

    assertThat(run.trouble()).isNull();
    assertThat(done.size() % 3).isZero();
    for (int i = 0; i < done.size(); i += 3) {
      String site = done.get(i).replace("begin AMNESIA ", "");
      assertThat(done.subList(i, i + 3))
          .containsExactly("begin AMNESIA " + site, "end AMNESIA " + site, "refilled " + site);
    }
    assertThat(run.injected()).containsExactly(FaultKind.AMNESIA);
    assertThat(FaultEvents.refills(run.events())).isEqualTo(done.size() / 3);
    assertThat(FaultEvents.counts(run.events())).containsOnlyKeys("amnesia");
    assertThat(run.events()).extracting(FaultEvent::atNanos).isSorted();
  }

  @Test
  void aSiteThatCannotBeBrokenEndsTheRunAndIsTold() throws Exception {
    FaultRun run = run(Set.of(FaultKind.CUT), site -> 0);

    run.start();
    assertThat(rounds.await(50, TimeUnit.SECONDS)).isTrue();
    run.stop();

    assertThat(run.trouble()).contains("the faults ended in round", "no wire to cut");
  }

  private FaultRun run(Set<FaultKind> kinds, FaultRun.Refill refill) {
    Settings settings = new Settings(3, 1, kinds, 1, false);
    return new FaultRun(new FaultPlan(1, settings), new Imagined(), refill, line -> {});
  }

  /** Three sites that are only written down. */
  private final class Imagined implements Breakable {

    @Override
    public List<Place> places() {
      return List.of(place("a"), place("b"), place("c"));
    }

    private Place place(String name) {
      return new Place(name, List.of("127.0.0.1:1"));
    }

    @Override
    public int nodes() {
      return 1;
    }

    @Override
    public Set<FaultKind> kinds() {
      return Set.of(FaultKind.values());
    }

    @Override
    public boolean killedSitesRemember() {
      return false;
    }

    @Override
    public void begin(PlannedFault fault) {
      if (fault.kind() == FaultKind.CUT) {
        rounds.countDown();
        rounds.countDown();
        throw new IllegalStateException("no wire to cut");
      }
      done.add("begin " + fault.kind() + " " + places().get(fault.site()).name());
    }

    @Override
    public void end(PlannedFault fault) {
      done.add("end " + fault.kind() + " " + places().get(fault.site()).name());
    }

    @Override
    public boolean isBalanced(int site) {
      return true;
    }

    @Override
    public void close() {}
  }
}
